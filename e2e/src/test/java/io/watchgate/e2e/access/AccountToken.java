package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/**
 * Token of a service account, signed by the test with the apiserver's key, so that times are
 * possible which a TokenRequest refuses.
 *
 * @param from not before; may be in the future
 * @param expires may be in the past
 */
record AccountToken(
    Accounts.Account account, List<String> audiences, Instant from, Instant expires) {
  private static final String ISSUER = "https://kubernetes.default.svc";
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /** Returns a token for the gateway, valid since one minute ago. */
  static AccountToken of(Accounts.Account account, Duration goodFor) {
    return of(account, GatewayAccount.AUDIENCE, goodFor);
  }

  /** Returns a token for the apiserver, valid since one minute ago. */
  static AccountToken forApiserver(Accounts.Account account, Duration goodFor) {
    return of(account, ISSUER, goodFor);
  }

  private static AccountToken of(Accounts.Account account, String audience, Duration goodFor) {
    Instant now = Instant.now();
    return new AccountToken(account, List.of(audience), now.minusSeconds(60), now.plus(goodFor));
  }

  AccountToken between(Instant newFrom, Instant newExpires) {
    return new AccountToken(account, audiences, newFrom, newExpires);
  }

  AccountToken until(Instant newExpires) {
    return between(from, newExpires);
  }

  String signed(PrivateKey key) {
    var claims = Json.object();
    claims.put("iss", ISSUER).put("sub", account.user());
    claims.put("iat", from.getEpochSecond()).put("nbf", from.getEpochSecond());
    claims.put("exp", expires.getEpochSecond());
    audiences.forEach(claims.withArray("/aud")::add);
    var bound = claims.withObject("/kubernetes.io");
    bound.put("namespace", account.namespace());
    bound.withObject("/serviceaccount").put("name", account.name()).put("uid", account.uid());
    String text = part("{\"alg\":\"ES256\",\"typ\":\"JWT\"}") + "." + part(claims.toString());
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(key);
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + BASE64.encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(String json) {
    return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }
}
