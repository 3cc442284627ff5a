package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import org.jspecify.annotations.Nullable;

/** {@code resourceVersion} of a request. */
sealed interface RequestedVersion {
  /** No version: the state as of this moment. */
  enum Unset implements RequestedVersion {
    UNSET
  }

  /** {@code 0}: any state that is available. */
  enum Any implements RequestedVersion {
    ANY
  }

  record At(ResourceVersion version) implements RequestedVersion {}

  /** Returns null if the text is invalid; {@link #error} returns the error. */
  static @Nullable RequestedVersion parse(String text) {
    if (text.isEmpty()) {
      return Unset.UNSET;
    }
    if (GoIntegerParser.uintError(text) != null) {
      return null;
    }
    ResourceVersion version = ResourceVersion.parse(text.replaceFirst("^0+", ""));
    return version == null ? Any.ANY : new At(version);
  }

  static String error(String text) {
    return "resourceVersion: Invalid value: \"" + text + "\": " + GoIntegerParser.uintError(text);
  }

  /**
   * Returns the version of a GET or a watch.
   *
   * @throws StatusException 500 without a reason, as at an apiserver
   */
  static RequestedVersion ofGetOrWatch(String text) throws StatusException {
    RequestedVersion version = parse(text);
    if (version == null) {
      throw new StatusException(500, "", error(text), StatusException.Details.NONE);
    }
    return version;
  }

  /**
   * Returns the version of a list.
   *
   * @throws StatusException 400
   */
  static RequestedVersion ofList(String text) throws StatusException {
    RequestedVersion version = parse(text);
    if (version == null) {
      throw StatusErrors.badRequest("invalid resource version: " + error(text));
    }
    return version;
  }
}
