package io.watchgate.kube;

import io.watchgate.pem.PemKeyManager;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a kubeconfig's user, to be presented to a gateway instead of an apiserver: a bearer
 * token, which is renewed when needed, a client certificate, or both. Thread-safe.
 */
public final class UserIdentity implements AutoCloseable {
  private static final String BEARER = "Bearer ";

  private final String source;
  private final CredentialSource credentials;
  private final Optional<PemKeyManager> certificate;

  // Guarded by this.
  private @Nullable RequestCredentials presented;

  private UserIdentity(
      String source, CredentialSource credentials, Optional<PemKeyManager> certificate) {
    this.source = source;
    this.credentials = credentials;
    this.certificate = certificate;
  }

  /**
   * Returns the identity of a configuration's user. The address of its apiserver is not used.
   *
   * @throws ConfigException if the user has no credentials, or such as a gateway does not accept
   */
  public static UserIdentity of(ClientConfig config) throws ConfigException {
    String source = config.source();
    if (config.credentials() instanceof UserCredentials.Password) {
      throw new ConfigException(
          source
              + ": the user has a name and a password, which a gateway does not accept; use a user"
              + " with a token, an exec plugin or a client certificate");
    }
    if (!config.impersonation().equals(Impersonation.NONE)) {
      throw new ConfigException(
          source
              + ": the user impersonates another one (as), which a gateway does not do; use a user"
              + " without 'as'");
    }
    TlsOptions.IdentitySource own = config.tls().identity();
    if (own == null && config.credentials() instanceof UserCredentials.Anonymous) {
      throw new ConfigException(
          source + ": has no user with credentials; name another context with --context");
    }
    try {
      return new UserIdentity(
          source,
          CredentialSource.of(config.credentials(), KubeSettings.DEFAULT, System::nanoTime),
          own == null
              ? Optional.empty()
              : Optional.of(PemKeyManager.of(own.certificate(), own.key())));
    } catch (IOException e) {
      throw new ConfigException(source + ": " + e.getMessage());
    }
  }

  /** Returns the client certificate of the kubeconfig. */
  public Optional<PemKeyManager> certificate() {
    return certificate;
  }

  /**
   * Returns the token to present now; empty if the user has a client certificate only. May wait for
   * an exec plugin.
   *
   * @throws IOException if there is none; the message has the reason, without secrets
   */
  public Optional<String> token() throws IOException {
    RequestCredentials now = credentials.current();
    if (now.identity() != null) {
      throw new IOException(
          source
              + ": the exec plugin gave a client certificate, which is not presented to gateways;"
              + " use a plugin that gives a token, or a client certificate in files");
    }
    synchronized (this) {
      presented = now;
    }
    return now.authorization().isEmpty()
        ? Optional.empty()
        : Optional.of(now.authorization().substring(BEARER.length()));
  }

  /** Reports that the gateway refused the last token, so that the next one is a new one. */
  public void onRejected() {
    RequestCredentials refused;
    synchronized (this) {
      refused = presented;
    }
    if (refused != null) {
      credentials.onRejected(refused);
    }
  }

  /** Ends an exec plugin that runs. */
  @Override
  public void close() {
    credentials.close();
  }
}
