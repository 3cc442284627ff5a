package io.watchgate.kube;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.function.LongSupplier;

/** Source of the credentials for the next request; renews them when needed. Thread-safe. */
sealed interface CredentialSource extends AutoCloseable
    permits CredentialSource.Fixed, TokenFileSource, ExecCredentialSource {

  /**
   * Returns the credentials to send now.
   *
   * @throws IOException if there are none; the message has the reason, without secrets
   */
  RequestCredentials current() throws IOException;

  /** Reports that the apiserver rejected these credentials (401). */
  default void onRejected(RequestCredentials refused) {}

  /** Cancels a renewal in progress. */
  @Override
  default void close() {}

  static CredentialSource of(
      UserCredentials credentials, KubeSettings settings, LongSupplier nanoTime) {
    return switch (credentials) {
      case UserCredentials.Anonymous none -> new Fixed(RequestCredentials.NONE);
      case UserCredentials.Token fixed -> new Fixed(RequestCredentials.bearer(fixed.token()));
      case UserCredentials.TokenFile file ->
          new TokenFileSource(file.file(), settings.ages().token(), nanoTime);
      case UserCredentials.Password password -> new Fixed(basic(password));
      case UserCredentials.Plugin exec ->
          new ExecCredentialSource(exec.plugin(), settings.plugins(), InstantSource.system());
    };
  }

  private static RequestCredentials basic(UserCredentials.Password password) {
    byte[] both = (password.user() + ":" + password.password()).getBytes(StandardCharsets.UTF_8);
    return new RequestCredentials("Basic " + Base64.getEncoder().encodeToString(both), null);
  }

  /** Credentials that never change. */
  record Fixed(RequestCredentials current) implements CredentialSource {}
}
