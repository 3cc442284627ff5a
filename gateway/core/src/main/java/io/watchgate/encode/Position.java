package io.watchgate.encode;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDigest;

/** Version in the history of a type, with the digest of the state of the type at that version. */
public record Position(ResourceVersion version, StateDigest digest) {

  public static Position of(Revision revision) {
    return new Position(revision.version(), revision.digest());
  }
}
