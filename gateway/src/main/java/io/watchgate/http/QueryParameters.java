package io.watchgate.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request. Of a parameter that stands there more than once the first value counts,
 * as at an apiserver; a pair that is wrongly encoded does not count at all.
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
      // A percent sign without two digits: Go leaves such a pair out.
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Empty if it is not there. */
  String text(String name) {
    return first.getOrDefault(name, "");
  }

  boolean has(String name) {
    return first.containsKey(name);
  }

  /** Everything but {@code 0} and {@code false} is true, and so is a bare name. */
  boolean flag(String name) {
    String value = first.get(name);
    return value != null && !value.equals("0") && !value.equalsIgnoreCase("false");
  }

  /**
   * 0 if it is not there.
   *
   * @throws StatusException 400 if it is no integer of 64 bits
   */
  long integer(String name) throws StatusException {
    String value = first.get(name);
    return value == null ? 0 : GoIntegerParser.parseInt(value);
  }
}
