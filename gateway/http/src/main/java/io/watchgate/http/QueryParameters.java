package io.watchgate.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Query parameters of a request. If a parameter occurs more than once, its first value counts, as
 * at an apiserver. A pair with an invalid encoding is ignored.
 */
record QueryParameters(Map<String, String> first) {

  QueryParameters {
    first = Map.copyOf(first);
  }

  static QueryParameters parse(@Nullable String query) {
    Map<String, String> first = new HashMap<>();
    if (query != null) {
      for (String pair : query.split("&", -1)) {
        add(pair, first);
      }
    }
    return new QueryParameters(first);
  }

  private static void add(String pair, Map<String, String> first) {
    int equals = pair.indexOf('=');
    String name = equals < 0 ? pair : pair.substring(0, equals);
    String value = equals < 0 ? "" : pair.substring(equals + 1);
    try {
      if (!pair.isEmpty() && !pair.contains(";")) {
        first.putIfAbsent(decoded(name), decoded(value));
      }
    } catch (IllegalArgumentException e) {
      // A percent sign without two digits: Go ignores such a pair.
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Returns the value, or an empty text if there is no such parameter. */
  String text(String name) {
    return first.getOrDefault(name, "");
  }

  boolean has(String name) {
    return first.containsKey(name);
  }

  /**
   * Returns whether the parameter is set to anything but {@code 0} and {@code false}. A name
   * without a value is true.
   */
  boolean flag(String name) {
    String value = first.get(name);
    return value != null && !value.equals("0") && !value.equalsIgnoreCase("false");
  }

  /**
   * Returns the number, 0 without the parameter.
   *
   * @throws StatusException 400 if it is not an integer of 64 bits
   */
  long integer(String name) throws StatusException {
    String value = first.get(name);
    return value == null ? 0 : GoIntegerParser.parseInt(value);
  }
}
