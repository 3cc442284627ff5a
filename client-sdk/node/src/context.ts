import type { RetryBudget } from "./backoff.js";
import type { Replicas } from "./replicas.js";

/** Settings and connections that all calls of a client share. */
export interface Context {
  readonly replicas: Replicas;
  readonly budget: RetryBudget;
  readonly clientName: string;
  readonly firstAnswerTimeoutMs: number;
  /** Returns the headers of the next call. Throws CallFailed if there is no token to send. */
  headers(): Promise<ReadonlyMap<string, string>>;
}
