package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;

/** Start of a stream, as requested. */
public sealed interface StartPoint {
  /** Start with a snapshot. */
  record Snapshot() implements StartPoint {}

  /** Start after a position that this gateway or another replica has sent. */
  record Token(TokenCheck check) implements StartPoint {}

  /** Start after a version that the client has from another source. */
  record Version(ResourceVersion version) implements StartPoint {}

  /**
   * Start after a version that the client has from the apiserver. It may be later than every change
   * that is known here, because versions of lists, and of other types, come with no change.
   */
  record After(ResourceVersion version) implements StartPoint {}

  /** Start with the next change. */
  record Now() implements StartPoint {}

  /** Result of checking a token, before the cache is asked. */
  sealed interface TokenCheck {}

  /** Token of this cluster, type and selection. */
  record Good(Position position) implements TokenCheck {}

  /** Valid token of a format that is unknown here. */
  record OtherFormat() implements TokenCheck {}

  /** Token of another cluster. */
  record OtherCluster() implements TokenCheck {}

  /** Token of a type that was defined again, or of which another version is preferred now. */
  record OtherDefinition() implements TokenCheck {}
}
