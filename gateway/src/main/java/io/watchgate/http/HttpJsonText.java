package io.watchgate.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;

/** JSON as Go writes it: {@code <}, {@code >} and {@code &} are escaped too, and nothing more. */
final class HttpJsonText {
  private HttpJsonText() {}

  static String of(JsonElement json) {
    // None of the three stands outside of strings.
    return json.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
  }

  static String quoted(String text) {
    return of(new JsonPrimitive(text));
  }

  /** A document as a response has it, with a line feed at its end. */
  static byte[] document(JsonElement json) {
    return (of(json) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
