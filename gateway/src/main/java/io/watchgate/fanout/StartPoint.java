package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;

/** Where a stream begins. */
public sealed interface StartPoint {
  /** With everything that matches. */
  record Snapshot() implements StartPoint {}

  /** After a position that this gateway, or a replica of it, once sent. */
  record Token(TokenCheck check) implements StartPoint {}

  /** After a version that the client has from somewhere else. */
  record Version(ResourceVersion version) implements StartPoint {}

  /** With the next change. */
  record Now() implements StartPoint {}

  /** What a token was found to be, before the cache is asked. */
  sealed interface TokenCheck {}

  /** Of this cluster, this type and this selection. */
  record Good(Position position) implements TokenCheck {}

  /** Well-formed, but of a format that is not known here. */
  record OtherFormat() implements TokenCheck {}

  /** Of another cluster. */
  record OtherCluster() implements TokenCheck {}

  /** The type was defined anew, or another version of it is preferred now. */
  record OtherDefinition() implements TokenCheck {}
}
