package io.watchgate.check.run;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Digest of JSON values: equal for equal values with any order of members, different for all other
 * values. Numbers are equal only if their texts are equal, because no component may rewrite them.
 */
public final class JsonDigest {
  private static final int BYTES = 12;

  private JsonDigest() {}

  /** Returns the digest of an object without its resourceVersion, which is compared separately. */
  public static String of(JsonObject object) {
    StringBuilder text = new StringBuilder();
    write(object, 0, text);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(JsonElement element, int depth, StringBuilder text) {
    switch (element) {
      case JsonObject object -> {
        text.append('{');
        for (Map.Entry<String, JsonElement> member : new TreeMap<>(object.asMap()).entrySet()) {
          boolean isVersion = depth == 1 && member.getKey().equals("resourceVersion");
          if (!isVersion) {
            text.append(member.getKey().length()).append(':').append(member.getKey());
            write(member.getValue(), depth + 1, text);
          }
        }
        text.append('}');
      }
      case JsonArray array -> {
        text.append('[');
        array.forEach(one -> write(one, depth + 2, text));
        text.append(']');
      }
      default -> text.append(element).append(',');
    }
  }
}
