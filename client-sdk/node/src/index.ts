/**
 * Client of Watchgate, a gateway in front of a Kubernetes apiserver, for Node.
 *
 * ```js
 * const client = connect("gateway:7443");
 * for await (const change of client.watch({ resource: "pods", namespaces: ["shop"] })) {
 *   console.log(change.type, change.name);
 * }
 * ```
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { Client } from "./client.js";
import { type ClientOptions, clientOf, serversOf } from "./connect.js";
import { GrpcTransport } from "./grpc.js";
import { TlsFiles, type TlsOptions } from "./tls.js";

export * from "./api.js";
export type { ClientOptions, TlsOptions };

/** Options of a client in Node. */
export interface ConnectOptions extends ClientOptions {
  /** Uses TLS; without it the connection is in plaintext. */
  readonly tls?: TlsOptions;
  /** File with the bearer token, read for each stream and call. Not together with `token`. */
  readonly tokenFile?: string;
}

/**
 * Returns a client of the replicas at HOST:PORT, which connects on first use.
 *
 * Each stream is opened at the next replica. Throws TypeError for options that cannot be used, and the error of a TLS file that cannot be read.
 */
export function connect(servers: string | readonly string[], options: ConnectOptions = {}): Client {
  const list = serversOf(servers, "HOST:PORT");
  for (const server of list) {
    if (!/.:\d+$/.test(server)) throw new TypeError(`${server} is not HOST:PORT`);
  }
  const { tls, tokenFile, ...others } = options;
  if (tokenFile !== undefined && others.token) throw new TypeError("token and tokenFile exclude each other");
  const token = tokenFile === undefined ? others.token : () => readToken(tokenFile);
  const files = tls && new TlsFiles(tls);
  return clientOf(
    list.map((server) => new GrpcTransport(server, files, tls?.serverName)),
    { ...others, ...(token && { token }) },
  );
}

async function readToken(file: string): Promise<string> {
  const text = (await readFile(file, "utf8")).trim();
  if (!text) throw new Error(`${file} is empty`); // it is being replaced
  return text;
}
