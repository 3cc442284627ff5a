package io.watchgate.check;

/** Requested start of a stream. */
public sealed interface StartSpec {
  /** Start with a snapshot of the matching objects. */
  record WithSnapshot() implements StartSpec {
    @Override
    public String toString() {
      return "with a snapshot";
    }
  }

  /**
   * Start at a token of another stream with the same selection and projection.
   *
   * @param version resourceVersion that was sent with the token
   */
  record AtToken(CheckedVersion version) implements StartSpec {
    @Override
    public String toString() {
      return "with the token of version " + version;
    }
  }

  /** Start after a resourceVersion, as in Kubernetes' watches. */
  record AtVersion(CheckedVersion version) implements StartSpec {
    @Override
    public String toString() {
      return "with resource_version " + version;
    }
  }

  /** Start at the gateway's current position. */
  record FromNow() implements StartSpec {
    @Override
    public String toString() {
      return "from now";
    }
  }

  /** Returns the version before which no state may be sent; NONE: no limit. */
  default CheckedVersion floor() {
    return switch (this) {
      case AtToken at -> at.version();
      case AtVersion at -> at.version();
      case WithSnapshot _, FromNow _ -> CheckedVersion.NONE;
    };
  }
}
