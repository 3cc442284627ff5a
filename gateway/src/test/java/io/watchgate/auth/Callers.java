package io.watchgate.auth;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Callers, credentials and settings of tests. */
public final class Callers {
  public static final String AUDIENCE = "watchgate";

  /** Tokens by TokenReview, certificates by their common name, no anonymous callers. */
  public static final AuthSettings.Identification ALL =
      new AuthSettings.Identification(
          List.of(AUDIENCE),
          Optional.empty(),
          Optional.of(CertificateUserField.COMMON_NAME),
          AuthSettings.Unknown.REFUSED);

  public static final AuthSettings.Identification TOKENS =
      new AuthSettings.Identification(
          List.of(AUDIENCE), Optional.empty(), Optional.empty(), AuthSettings.Unknown.REFUSED);

  private Callers() {}

  static AuthSettings.Identification anonymous(AuthSettings.Identification settings) {
    return new AuthSettings.Identification(
        settings.audiences(),
        settings.tokens(),
        settings.certificates(),
        AuthSettings.Unknown.ANONYMOUS);
  }

  static AuthSettings.Identification tokenFile(Path file) {
    return new AuthSettings.Identification(
        List.of(), Optional.of(file), Optional.empty(), AuthSettings.Unknown.REFUSED);
  }

  /** Returns the default settings with these quotas. */
  public static AuthSettings settings(AuthSettings.Quotas quotas) {
    return new AuthSettings(
        TOKENS, AuthSettings.Authorization.KUBERNETES, AuthSettings.Rechecks.DEFAULTS, quotas);
  }

  /** Returns a caller without credentials, with that name. */
  public static Caller named(String user) {
    return new Caller(user(user), new Credentials.None(), null);
  }

  static UserInfo user(String name) {
    return UserInfo.authenticated(name, "", List.of());
  }

  /** Returns an unsigned token that claims this expiry. */
  public static String expiring(Instant at) {
    return jwt("{\"sub\":\"x\",\"exp\":" + at.getEpochSecond() + "}");
  }

  static String jwt(String claims) {
    return base64("{\"alg\":\"none\"}") + "." + base64(claims) + ".c2lnbmF0dXJl";
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
