package io.watchgate.check;

/** Where a stream was asked to begin. */
public sealed interface StartSpec {
  /** With what matches. */
  record WithSnapshot() implements StartSpec {
    @Override
    public String toString() {
      return "with a snapshot";
    }
  }

  /**
   * Where another stream of the same selection and shape was.
   *
   * @param version that came with the token
   */
  record AtToken(CheckedVersion version) implements StartSpec {
    @Override
    public String toString() {
      return "with the token of version " + version;
    }
  }

  /** Behind a version, as Kubernetes' watches. */
  record AtVersion(CheckedVersion version) implements StartSpec {
    @Override
    public String toString() {
      return "with resource_version " + version;
    }
  }

  /** Wherever the gateway is. */
  record FromNow() implements StartSpec {
    @Override
    public String toString() {
      return "from now";
    }
  }

  /** Before which nothing may be shown; NONE: anything may. */
  default CheckedVersion floor() {
    return switch (this) {
      case AtToken at -> at.version();
      case AtVersion at -> at.version();
      case WithSnapshot _, FromNow _ -> CheckedVersion.NONE;
    };
  }
}
