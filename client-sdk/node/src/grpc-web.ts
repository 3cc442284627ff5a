import { FrameReader } from "./frames.js";
import { CODES, RpcError, SERVICE, type Trailers, type Transport } from "./transport.js";

const CONTENT_TYPE = "application/grpc-web+proto";
const TRAILERS = 0x80; // flag of the frame that ends an answer
const LONGEST_TEXT = 200; // characters of the answer of another server
const LONGEST_BODY = 1024; // bytes of it that are read

/** Codes of an answer without a status of gRPC, by its HTTP status: it is not a gateway's. */
const CODES_BY_HTTP = new Map([
  [400, "INTERNAL"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "UNIMPLEMENTED"],
  [429, "UNAVAILABLE"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "UNAVAILABLE"],
]);

/** Way to one replica by gRPC-Web. */
export class GrpcWebTransport implements Transport {
  readonly #url: URL;
  readonly #credentials: RequestCredentials;

  constructor(url: URL, credentials: RequestCredentials) {
    this.#url = url;
    this.#credentials = credentials;
  }

  async *call(
    method: string,
    request: Uint8Array,
    headers: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const body = new Uint8Array(5 + request.length);
    new DataView(body.buffer).setUint32(1, request.length);
    body.set(request, 5);
    const answer = await mapNetworkErrors(signal, () =>
      fetch(urlOf(this.#url, method), {
        method: "POST",
        headers: { "Content-Type": CONTENT_TYPE, "X-Grpc-Web": "1", ...Object.fromEntries(headers) },
        credentials: this.#credentials,
        cache: "no-store",
        body,
        signal,
      }),
    );
    if (!answer.ok || !answer.body || !answer.headers.get("content-type")?.startsWith("application/grpc-web")) {
      const text = await mapNetworkErrors(signal, () => beginningOf(answer.body));
      throw new RpcError(
        (!answer.ok && CODES_BY_HTTP.get(answer.status)) || "UNKNOWN",
        `the server answered with HTTP ${answer.status}: ${text}`,
      );
    }
    const reader = answer.body.getReader();
    const frames = new FrameReader(() => mapNetworkErrors(signal, () => reader.read()));
    try {
      for (;;) {
        const frame = await frames.next();
        if (!frame) throw new RpcError("UNAVAILABLE", "the answer ended without a status");
        if (frame.flags & TRAILERS) return requireOk(trailersOf(frame.content));
        yield frame.content;
      }
    } finally {
      // A body that has failed cannot be cancelled.
      await reader.cancel().catch(() => {});
    }
  }

  close(): void {
    // The signals of the calls end their requests.
  }
}

/** Returns the URL of a method; the path of the server's URL stays before it. */
function urlOf(server: URL, method: string): URL {
  const url = new URL(server);
  url.pathname = url.pathname.replace(/\/+$/, "") + SERVICE + method;
  return url;
}

/** Returns the first characters of a body, which may have no end. */
async function beginningOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    while (length < LONGEST_BODY) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      length += value.length;
    }
    return text.slice(0, LONGEST_TEXT);
  } finally {
    // A body that has failed cannot be cancelled.
    await reader.cancel().catch(() => {});
  }
}

/** Waits for a step of a request, and maps an error of the network to UNAVAILABLE. */
async function mapNetworkErrors<T>(signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    signal.throwIfAborted();
    throw new RpcError("UNAVAILABLE", error instanceof Error ? error.message : String(error));
  }
}

function trailersOf(frame: Uint8Array): Trailers {
  const trailers = new Map<string, string | Uint8Array>();
  for (const line of new TextDecoder().decode(frame).split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    trailers.set(name, name.endsWith("-bin") ? bytesOf(value) : value);
  }
  return trailers;
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(); // a proxy in between changed them
  }
}

function requireOk(trailers: Trailers): void {
  const code = CODES[Number(trailers.get("grpc-status") ?? 2)] ?? "UNKNOWN";
  if (code !== "OK") throw new RpcError(code, messageOf(trailers), trailers);
}

function messageOf(trailers: Trailers): string {
  const encoded = trailers.get("grpc-message");
  if (typeof encoded !== "string") return "";
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
