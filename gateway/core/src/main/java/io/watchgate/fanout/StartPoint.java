package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.encode.TokenCheck;

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
}
