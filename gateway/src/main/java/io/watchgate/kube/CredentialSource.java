package io.watchgate.kube;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.function.LongSupplier;

/** What the next request shows of us, renewed where that is somebody's to renew. Thread-safe. */
sealed interface CredentialSource extends AutoCloseable
    permits CredentialSource.Fixed, CredentialSource.InFile, ExecCredentialSource {

  /**
   * What to show now.
   *
   * @throws IOException if there is nothing to show; says why, without secrets
   */
  RequestCredentials current() throws IOException;

  /** The apiserver refused that (401). */
  default void rejected(RequestCredentials refused) {}

  /** Ends what is under way. */
  @Override
  default void close() {}

  static CredentialSource of(
      UserCredentials credentials, KubeSettings settings, LongSupplier nanoTime) {
    return switch (credentials) {
      case UserCredentials.Anonymous none -> new Fixed(RequestCredentials.NONE);
      case UserCredentials.Token fixed -> new Fixed(RequestCredentials.bearer(fixed.token()));
      case UserCredentials.TokenFile file ->
          new InFile(new TokenFile(file.file(), settings.ages().token(), nanoTime));
      case UserCredentials.Password password -> new Fixed(basic(password));
      case UserCredentials.Plugin exec ->
          new ExecCredentialSource(exec.plugin(), settings.plugins(), InstantSource.system());
    };
  }

  private static RequestCredentials basic(UserCredentials.Password password) {
    byte[] both = (password.user() + ":" + password.password()).getBytes(StandardCharsets.UTF_8);
    return new RequestCredentials("Basic " + Base64.getEncoder().encodeToString(both), null);
  }

  /** Always the same. */
  record Fixed(RequestCredentials current) implements CredentialSource {}

  /** A token from a file. */
  record InFile(TokenFile token) implements CredentialSource {
    @Override
    public RequestCredentials current() throws IOException {
      return RequestCredentials.bearer(token.current());
    }

    @Override
    public void rejected(RequestCredentials refused) {
      token.rejected();
    }
  }
}
