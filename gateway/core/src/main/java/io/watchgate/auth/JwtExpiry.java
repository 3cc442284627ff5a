package io.watchgate.auth;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Expiry that a token claims. Nothing of the token is verified: after the apiserver has accepted
 * it, the claim can shorten the time for which the answer is cached, and never lengthen it.
 */
final class JwtExpiry {
  private JwtExpiry() {}

  /**
   * Returns the time of {@code exp} (RFC 7519, 4.1.4); null if the token is no JWT or has no such
   * claim.
   */
  static @Nullable Instant of(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return null;
    }
    try {
      String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
      return JsonParser.parseString(claims) instanceof JsonObject object
              && object.get("exp") instanceof JsonPrimitive expiry
              && expiry.isNumber()
          ? Instant.ofEpochSecond(expiry.getAsBigDecimal().toBigInteger().longValueExact())
          : null;
    } catch (IllegalArgumentException
        | ArithmeticException
        | JsonParseException
        | DateTimeException e) {
      return null;
    }
  }
}
