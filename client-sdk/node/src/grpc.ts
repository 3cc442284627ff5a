import { type ChannelCredentials, Client, type ClientReadableStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { onAbort } from "./listeners.js";
import type { TlsFiles } from "./tls.js";
import { CODES, RpcError, SERVICE, type Transport } from "./transport.js";

const OPTIONS = {
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.max_reconnect_backoff_ms": 5_000, // a watch waits by itself
  "grpc.enable_retries": 0, // a watch resumes at its own position
  "grpc.use_local_subchannel_pool": 1, // close() closes the connections
};

/** Channel to one replica, over HTTP/2. */
export class GrpcTransport implements Transport {
  readonly #server: string;
  readonly #tls: TlsFiles | undefined;
  readonly #options: Record<string, string | number>;
  #credentials: ChannelCredentials | undefined;
  #client: Client | undefined;

  constructor(server: string, tls: TlsFiles | undefined, serverName: string | undefined) {
    this.#server = server;
    this.#tls = tls;
    this.#options = {
      ...OPTIONS,
      ...(serverName && { "grpc.ssl_target_name_override": serverName, "grpc.default_authority": serverName }),
    };
  }

  async *call(
    method: string,
    request: Uint8Array,
    headers: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    signal.throwIfAborted();
    const metadata = new Metadata();
    for (const [name, value] of headers) metadata.set(name, value);
    const call = this.#current().makeServerStreamRequest(SERVICE + method, Buffer.from, (message: Buffer) => message, request, metadata);
    // The error of a call that has ended comes again after the iteration.
    call.on("error", () => {});
    const release = onAbort(signal, () => call.cancel());
    try {
      yield* messagesOf(call);
    } finally {
      release();
      call.cancel();
    }
  }

  close(): void {
    this.#client?.close();
  }

  /** Returns a client with the present files; its calls end with it when the files have changed. */
  #current(): Client {
    const current = this.#tls ? this.#tls.current() : (this.#credentials ?? credentials.createInsecure());
    if (!this.#client || current !== this.#credentials) {
      this.#client?.close();
      this.#credentials = current;
      this.#client = new Client(this.#server, current, this.#options);
    }
    return this.#client;
  }
}

async function* messagesOf(call: ClientReadableStream<Buffer>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* call as AsyncIterable<Buffer>;
  } catch (error) {
    throw isServiceError(error) ? rpcErrorOf(error) : error;
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "metadata" in error;
}

function rpcErrorOf(error: ServiceError): RpcError {
  return new RpcError(CODES[error.code] ?? "UNKNOWN", error.details, new Map(Object.entries(error.metadata.getMap())));
}
