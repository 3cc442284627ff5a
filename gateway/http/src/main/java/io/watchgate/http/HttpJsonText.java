package io.watchgate.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;

/** JSON text as Go writes it: {@code <}, {@code >} and {@code &} are also escaped. */
public final class HttpJsonText {
  private HttpJsonText() {}

  public static String of(JsonElement json) {
    // These three characters never occur outside of strings.
    return json.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
  }

  static String quoted(String text) {
    return of(new JsonPrimitive(text));
  }

  /** Returns a document as sent in a response, with a line feed at its end. */
  static byte[] document(JsonElement json) {
    return (of(json) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
