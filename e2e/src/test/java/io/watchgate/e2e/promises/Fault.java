package io.watchgate.e2e.promises;

/** What an {@link Adversary} does. */
enum Fault {
  /** All connections to the apiserver are reset, new ones are made at once. */
  RESET,
  /** The same, and for a while there are no new ones. */
  CUT,
  /** For a while nothing comes through, and nobody says so. */
  SILENCE,
  /** For a while each piece comes late. */
  DELAY,
  /** For a while bytes come one by one. */
  TRICKLE,
  /** While the gateway is away the apiserver forgets what happened: it has to list anew. */
  COMPACTION,
  /** The gateway ends as on SIGTERM, and another one begins in its place. */
  RESTART
}
