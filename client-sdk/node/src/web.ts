/**
 * Client of Watchgate for browsers, over gRPC-Web. It runs wherever there is `fetch`, and needs no gRPC library.
 *
 * ```js
 * const client = connect("https://gateway.example:6443");
 * for await (const change of client.watch({ resource: "pods", view: "METADATA" })) {
 *   console.log(change.type, change.name);
 * }
 * ```
 *
 * @module
 */
import type { Client } from "./client.js";
import { type ClientOptions, clientOf, serversOf } from "./connect.js";
import { GrpcWebTransport } from "./grpc-web.js";

export * from "./api.js";
export type { ClientOptions };

/** Options of a client in a browser. */
export interface ConnectOptions extends ClientOptions {
  /** Policy by which cookies and client certificates are sent, as in `fetch`. */
  readonly credentials?: RequestCredentials;
}

/**
 * Returns a client of the replicas at the URLs of their Kubernetes read API (`serve --kube-listen`), which connects on first use. A path in a URL is
 * kept: `https://proxy.example/watchgate`.
 *
 * Throws TypeError for a URL that cannot be used.
 */
export function connect(servers: string | readonly string[], options: ConnectOptions = {}): Client {
  const { credentials, ...others } = options;
  const list = serversOf(servers, "the URL of a gateway");
  return clientOf(
    list.map((server) => new GrpcWebTransport(new URL(server), credentials ?? "same-origin")),
    { clientName: "watchgate-web", ...others },
  );
}
