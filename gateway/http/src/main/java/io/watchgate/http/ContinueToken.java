package io.watchgate.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.watchgate.cache.ResourceVersion;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Position of a list between two pages: base64 of {@code
 * {"v":"meta.k8s.io/v1","rv":529,"start":"shop/web-1\0"}}, as at an apiserver. It is neither a
 * secret nor a credential, and everything in it is checked.
 *
 * @param version version that all pages share; null: the next pages are of the newest revision, and
 *     so not consistent with the pages before
 * @param lastKey key of the last object that was listed, below the namespace of the list if it is
 *     of one
 */
record ContinueToken(@Nullable ResourceVersion version, String lastKey) {
  private static final String FORMAT = "meta.k8s.io/v1";

  String encode() {
    JsonObject token = new JsonObject();
    token.addProperty("v", FORMAT);
    token.add("rv", JsonParser.parseString(version == null ? "-1" : version.digits()));
    token.addProperty("start", lastKey + "\0");
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(token.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Parses a token.
   *
   * @throws StatusException 400 if the text is not a token
   */
  static ContinueToken parse(String text) throws StatusException {
    try {
      byte[] json = Base64.getUrlDecoder().decode(text);
      if (JsonParser.parseString(new String(json, StandardCharsets.UTF_8))
              instanceof JsonObject token
          && text(token, "v").equals(FORMAT)
          && text(token, "start").endsWith("\0")) {
        String version = text(token, "rv");
        String start = text(token, "start");
        ResourceVersion parsed = ResourceVersion.parse(version);
        if (parsed != null || version.equals("-1")) {
          return new ContinueToken(parsed, start.substring(0, start.length() - 1));
        }
      }
    } catch (IllegalArgumentException | JsonParseException e) {
      // Refused below.
    }
    throw StatusErrors.badRequest(
        "invalid continue token: continue key is not valid: it is not the token of a" + " list");
  }

  private static String text(JsonObject token, String name) {
    JsonElement value = token.get(name);
    return value instanceof JsonPrimitive primitive ? primitive.getAsString() : "";
  }
}
