package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDigest;

/** A place in the history of a type, and the fingerprint of the whole type's state there. */
public record Position(ResourceVersion version, StateDigest digest) {

  static Position of(Revision revision) {
    return new Position(revision.version(), revision.digest());
  }
}
