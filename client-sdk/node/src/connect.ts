import { RetryBudget } from "./backoff.js";
import { Client } from "./client.js";
import { localFailure } from "./errors.js";
import { Replicas } from "./replicas.js";
import type { Transport } from "./transport.js";

const FIRST_ANSWER_TIMEOUT = 300_000; // ms

/** Options of a client that do not depend on its transport. */
export interface ClientOptions {
  /** Returns the bearer token; called for each stream and call, because tokens expire. */
  readonly token?: () => string | Promise<string>;
  /**
   * Milliseconds after which a watch throws if only servers that are not a gateway answer, usually because of a wrong address. No effect once a
   * gateway has answered. 300,000 by default.
   */
  readonly firstAnswerTimeoutMs?: number;
  /** Opens the first stream at the first server, and not at a random one. */
  readonly startAtFirst?: boolean;
  /** Name of the program in the gateway's audit log, at most 128 bytes. */
  readonly clientName?: string;
}

/** Returns a client of the replicas behind the transports, of which there is at least one. */
export function clientOf(transports: Transport[], options: ClientOptions): Client {
  const first = options.startAtFirst ? 0 : Math.floor(Math.random() * transports.length);
  return new Client({
    replicas: new Replicas(transports, first),
    budget: new RetryBudget(),
    clientName: options.clientName ?? "watchgate-node",
    firstAnswerTimeoutMs: options.firstAnswerTimeoutMs ?? FIRST_ANSWER_TIMEOUT,
    headers: () => headersOf(options.token),
  });
}

async function headersOf(token: ClientOptions["token"]): Promise<ReadonlyMap<string, string>> {
  if (!token) return new Map();
  let text: string;
  try {
    text = (await token()).trim();
    if (!text) throw new Error("it is empty");
    // A transport throws for such a header.
    if (!/^[ -~]+$/.test(text)) throw new Error("it has a character that is not printable ASCII");
  } catch (error) {
    throw localFailure("UNAVAILABLE", `there is no token to send: ${error instanceof Error ? error.message : error}`, "RESUME", error);
  }
  return new Map([["authorization", `Bearer ${text}`]]);
}

/** Returns the servers as an array. Throws TypeError without any. */
export function serversOf(servers: string | readonly string[], form: string): string[] {
  const list = typeof servers === "string" ? [servers] : [...servers];
  if (!list.length) throw new TypeError(`connect needs a server: ${form}`);
  return list;
}
