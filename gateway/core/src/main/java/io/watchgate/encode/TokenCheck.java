package io.watchgate.encode;

/** Result of checking a resume token, before the cache is asked. */
public sealed interface TokenCheck {
  /** Token of this cluster, type and selection. */
  record Good(Position position) implements TokenCheck {}

  /** Valid token of a format that is unknown here. */
  record OtherFormat() implements TokenCheck {}

  /** Token of another cluster. */
  record OtherCluster() implements TokenCheck {}

  /** Token of a type that was defined again, or of which another version is preferred now. */
  record OtherDefinition() implements TokenCheck {}
}
