package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import org.jspecify.annotations.Nullable;

/** The {@code resourceVersion} of a request. */
sealed interface RequestedVersion {
  /** None: the present, as of this moment. */
  enum Unset implements RequestedVersion {
    UNSET
  }

  /** {@code 0}: any that is at hand. */
  enum Any implements RequestedVersion {
    ANY
  }

  record At(ResourceVersion version) implements RequestedVersion {}

  /** Null if it is none; {@link #wrong} says why. */
  static @Nullable RequestedVersion parse(String text) {
    if (text.isEmpty()) {
      return Unset.UNSET;
    }
    if (GoIntegerParser.wrongUint(text) != null) {
      return null;
    }
    ResourceVersion version = ResourceVersion.parse(text.replaceFirst("^0+", ""));
    return version == null ? Any.ANY : new At(version);
  }

  static String wrong(String text) {
    return "resourceVersion: Invalid value: \"" + text + "\": " + GoIntegerParser.wrongUint(text);
  }

  /**
   * As a GET and a watch have it.
   *
   * @throws StatusException 500 without a reason, as at an apiserver
   */
  static RequestedVersion ofGetOrWatch(String text) throws StatusException {
    RequestedVersion version = parse(text);
    if (version == null) {
      throw new StatusException(500, "", wrong(text), StatusException.Details.NONE);
    }
    return version;
  }

  /**
   * As a list has it.
   *
   * @throws StatusException 400
   */
  static RequestedVersion ofList(String text) throws StatusException {
    RequestedVersion version = parse(text);
    if (version == null) {
      throw StatusErrors.badRequest("invalid resource version: " + wrong(text));
    }
    return version;
  }
}
