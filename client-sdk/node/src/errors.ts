import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { type ErrorInfo, ErrorInfoSchema, type RetryInfo, RetryInfoSchema, StatusSchema } from "./gen/google/rpc/status_pb.js";
import { milliseconds } from "./duration.js";
import { RpcError } from "./transport.js";

const DOMAIN = "watchgate.io";

// Codes of temporary states. Any other code without a reason may be the answer of a server that is not a gateway.
const TEMPORARY = new Set(["UNAVAILABLE", "CANCELLED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"]);

/** Reaction of a client to an error, as the contract names it. */
export type Action = "RESUME" | "RESTART" | "STOP";

/** End of a stream or a call. */
export interface Failure {
  /** Name of a gRPC code, UNKNOWN for a stream that ended with OK, which no gateway does. */
  readonly code: string;
  /** Name of an ErrorReason without its prefix, empty for an error of a proxy, of the network or of this side. */
  readonly reason: string;
  /** Reaction that the gateway asks for; RESUME for other errors. */
  readonly action: Action;
  /** Text for a person: the request, the fault and the fix. */
  readonly message: string;
  /** Milliseconds to wait before the next attempt, 0 if the server named none. */
  readonly retryAfterMs: number;
}

/** Error of a watch that cannot continue by itself, or of a call. */
export class WatchgateError extends Error {
  /** Name of the class, for logs. */
  override readonly name = "WatchgateError";

  /** @internal */
  constructor(
    /** Code, reason, action and message of the error. */
    readonly failure: Failure,
    options?: ErrorOptions,
  ) {
    // The documents have the reasons.
    super(failure.reason ? `${failure.reason}: ${failure.message}` : failure.message, options);
  }
}

/** Failure of one stream or call, after which another one may succeed. Never leaves the package. */
export class CallFailed extends Error {
  constructor(
    readonly failure: Failure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}

/** Change that this version cannot apply. With the same token it would come again. */
export class UnknownChange extends CallFailed {
  constructor() {
    const message = "the stream has a change of an unknown type, or a patch that was not requested";
    super({ code: "INTERNAL", reason: "", action: "RESTART", message, retryAfterMs: 0 });
  }
}

/** Returns the error of calls and waits after the end of a client or a store. */
export function closedError(what: string): WatchgateError {
  return new WatchgateError({ code: "CANCELLED", reason: "", action: "STOP", message: `the ${what} is closed`, retryAfterMs: 0 });
}

/** Returns a failure that this side found, by default treated like one of the network. */
export function localFailure(code: string, message: string, action: Action = "RESUME", cause?: unknown): CallFailed {
  return new CallFailed({ code, reason: "", action, message, retryAfterMs: 0 }, { cause });
}

/** Returns a message of an answer. Throws CallFailed for bytes that are none. */
export function decoded<A extends DescMessage>(schema: A, bytes: Uint8Array): MessageShape<A> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw localFailure("INTERNAL", `the answer cannot be read: ${error instanceof Error ? error.message : error}`, "RESUME", error);
  }
}

/** Returns whether a server that is not a gateway may have sent the error. */
export function mayBeWrongAddress(failure: Failure): boolean {
  return !failure.reason && !TEMPORARY.has(failure.code);
}

/** Reads an error of a call: the details first, then the trailers that repeat them. Any other error is thrown as it is. */
export function callFailure(error: unknown): CallFailed {
  if (!(error instanceof RpcError)) throw error;
  let reason = text(error.trailers.get("watchgate-reason"));
  let action = text(error.trailers.get("watchgate-action"));
  let retryAfterMs = 0;
  for (const { info, retry } of detailsOf(error.trailers.get("grpc-status-details-bin"))) {
    if (info?.domain === DOMAIN) {
      reason = info.reason;
      action = info.metadata["action"] ?? action;
    } else if (retry) {
      retryAfterMs = Math.max(0, milliseconds(retry.retryDelay));
    }
  }
  return new CallFailed({ code: error.code, reason, action: actionOf(action), message: error.message, retryAfterMs }, { cause: error });
}

function detailsOf(encoded: string | Uint8Array | undefined): { info: ErrorInfo | undefined; retry: RetryInfo | undefined }[] {
  if (!(encoded instanceof Uint8Array)) return [];
  try {
    return fromBinary(StatusSchema, encoded).details.map((detail) => ({
      info: anyUnpack(detail, ErrorInfoSchema),
      retry: anyUnpack(detail, RetryInfoSchema),
    }));
  } catch {
    return []; // a proxy in between changed them
  }
}

function text(value: string | Uint8Array | undefined): string {
  return typeof value === "string" ? value : "";
}

function actionOf(name: string): Action {
  // An error without an action is not a gateway's, and says nothing about the request.
  return name === "RESTART" || name === "STOP" ? name : "RESUME";
}
