package io.watchgate.check;

/** Where a stream was asked to begin. */
public sealed interface Start {
  /** With what matches. */
  record WithSnapshot() implements Start {
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
  record AtToken(Version version) implements Start {
    @Override
    public String toString() {
      return "with the token of version " + version;
    }
  }

  /** Behind a version, as Kubernetes' watches. */
  record AtVersion(Version version) implements Start {
    @Override
    public String toString() {
      return "with resource_version " + version;
    }
  }

  /** Wherever the gateway is. */
  record FromNow() implements Start {
    @Override
    public String toString() {
      return "from now";
    }
  }

  /** Before which nothing may be shown; NONE: anything may. */
  default Version floor() {
    return switch (this) {
      case AtToken at -> at.version();
      case AtVersion at -> at.version();
      case WithSnapshot _, FromNow _ -> Version.NONE;
    };
  }
}
