package io.watchgate.kube;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.function.LongSupplier;

/** What the next request shows of us, renewed where that is somebody's to renew. Thread-safe. */
sealed interface LoginSource extends AutoCloseable
    permits LoginSource.Fixed, LoginSource.InFile, PluginLogin {

  /**
   * What to show now.
   *
   * @throws IOException if there is nothing to show; says why, without secrets
   */
  Login current() throws IOException;

  /** The apiserver refused that (401). */
  default void rejected(Login refused) {}

  /** Ends what is under way. */
  @Override
  default void close() {}

  static LoginSource of(Credentials credentials, KubeSettings settings, LongSupplier nanoTime) {
    return switch (credentials) {
      case Credentials.Anonymous none -> new Fixed(Login.NONE);
      case Credentials.Token fixed -> new Fixed(Login.bearer(fixed.token()));
      case Credentials.TokenFile file ->
          new InFile(new BearerToken(file.file(), settings.ages().token(), nanoTime));
      case Credentials.Password password -> new Fixed(basic(password));
      case Credentials.Plugin exec ->
          new PluginLogin(exec.plugin(), settings.plugins(), InstantSource.system());
    };
  }

  private static Login basic(Credentials.Password password) {
    byte[] both = (password.user() + ":" + password.password()).getBytes(StandardCharsets.UTF_8);
    return new Login("Basic " + Base64.getEncoder().encodeToString(both), null);
  }

  /** Always the same. */
  record Fixed(Login current) implements LoginSource {}

  /** A token from a file. */
  record InFile(BearerToken token) implements LoginSource {
    @Override
    public Login current() throws IOException {
      return Login.bearer(token.current());
    }

    @Override
    public void rejected(Login refused) {
      token.rejected();
    }
  }
}
