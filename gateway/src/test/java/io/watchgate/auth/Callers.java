package io.watchgate.auth;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Whom tests let in, and what those show. */
public final class Callers {
  public static final String AUDIENCE = "watchgate";

  /** Tokens that the apiserver is asked about, certificates by their common name, nobody else. */
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

  /** Settings that are the usual ones but for this. */
  public static AuthSettings settings(AuthSettings.Quotas quotas) {
    return new AuthSettings(
        TOKENS, AuthSettings.Authorization.KUBERNETES, AuthSettings.Rechecks.DEFAULTS, quotas);
  }

  /** A user who is let in without anything to show. */
  public static Caller named(String user) {
    return new Caller(user(user), new Credentials.None(), null);
  }

  static UserInfo user(String name) {
    return UserInfo.of(name, "", List.of());
  }

  /** A token that says so; nothing of it is signed. */
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
