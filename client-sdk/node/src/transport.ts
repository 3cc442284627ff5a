/** Values at the end of a call: text, or bytes under a name that ends with `-bin`. */
export type Trailers = ReadonlyMap<string, string | Uint8Array>;

/** End of a call with a status other than OK. */
export class RpcError extends Error {
  /** `code` is the name of a gRPC code. */
  constructor(
    readonly code: string,
    message: string,
    readonly trailers: Trailers = new Map(),
  ) {
    super(message);
  }
}

/** Connection to one replica of a gateway. */
export interface Transport {
  /**
   * Calls a method of the service, and returns the messages of its answer: one, or those of a stream.
   *
   * The iteration throws RpcError. `signal` ends the call, and with it an iteration that waits.
   */
  call(
    method: string,
    request: Uint8Array,
    headers: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined>;

  /** Closes the connection. */
  close(): void;
}

/** Names of the gRPC codes, by number. */
export const CODES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

/** Path of the service of the contract. */
export const SERVICE = "/watchgate.v1.WatchService/";
