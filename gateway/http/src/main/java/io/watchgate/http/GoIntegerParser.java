package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import org.jspecify.annotations.Nullable;

/** Parser of numbers as in Go's {@code strconv}, with the apiserver's error messages. */
final class GoIntegerParser {
  private static final ResourceVersion MAX_UINT64 = new ResourceVersion("18446744073709551615");

  private GoIntegerParser() {}

  static long parseInt(String text) throws StatusException {
    if (!text.matches("[+-]?[0-9]+")) {
      throw StatusErrors.badRequest(error("ParseInt", text, "invalid syntax"));
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw StatusErrors.badRequest(error("ParseInt", text, "value out of range"));
    }
  }

  /** Returns the error of an unsigned integer of 64 bits, null if it is valid. */
  static @Nullable String uintError(String text) {
    if (!text.matches("[0-9]+")) {
      return error("ParseUint", text, "invalid syntax");
    }
    ResourceVersion version = ResourceVersion.parse(text.replaceFirst("^0+", ""));
    boolean zero = text.matches("0+");
    return zero || (version != null && !version.isAfter(MAX_UINT64))
        ? null
        : error("ParseUint", text, "value out of range");
  }

  private static String error(String function, String text, String reason) {
    return "strconv." + function + ": parsing \"" + text + "\": " + reason;
  }
}
