package io.watchgate.cli;

import io.grpc.ChannelCredentials;
import io.grpc.CompositeChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.watchgate.client.Interruption;
import io.watchgate.client.TlsCredentials;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.kube.UserIdentity;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * Credentials that a connection presents to a gateway.
 *
 * @param identity user of a kubeconfig, in place of the other credentials
 */
record GatewayCredentials(ConnectionSettings to, Optional<UserIdentity> identity) {
  /**
   * Reads the user of the kubeconfig, if the connection has one. Its exec plugin is run once, so
   * that a plugin that fails ends the command with the reason.
   */
  static GatewayCredentials read(ConnectionSettings to) throws IOException, ConfigException {
    if (to.kubeconfig().isEmpty()) {
      return new GatewayCredentials(to, Optional.empty());
    }
    UserIdentity user =
        UserIdentity.of(Kubeconfig.load(to.kubeconfig().get(), to.kubeContext().orElse("")));
    if (user.token().isEmpty() && !to.usesTls()) {
      throw new IOException(
          to.kubeconfig().get() + ": a client certificate needs TLS; give --tls or --tls-ca too");
    }
    return new GatewayCredentials(to, Optional.of(user));
  }

  /**
   * Sets the credentials of a client.
   *
   * @throws IOException if a file cannot be used; the message names it
   */
  void addTo(WatchClientBuilder builder) throws IOException {
    if (to.usesTls()) {
      builder.tls(tls());
    }
    if (hasIdentityToken()) {
      builder.bearerToken(
          () -> {
            try {
              return identityToken();
            } catch (IOException e) {
              throw new UncheckedIOException(e.getMessage(), e);
            }
          });
    }
    if (to.bearerTokenFile().isPresent()) {
      try {
        builder.bearerTokenFile(to.bearerTokenFile().get());
      } catch (NoSuchFileException e) {
        throw new IOException("--bearer-token-file: there is no file " + e.getMessage(), e);
      } catch (IOException e) {
        throw new IOException("--bearer-token-file: " + FileErrors.text(e), e);
      }
    }
  }

  /**
   * Returns the credentials of a channel outside the SDK.
   *
   * @throws IOException if a file cannot be used; the message names it
   */
  ChannelCredentials forChannel() throws IOException {
    ChannelCredentials channel = to.usesTls() ? tls().build() : InsecureChannelCredentials.create();
    if (hasIdentityToken()) {
      return CompositeChannelCredentials.create(
          channel, new TokenCallCredentials(this::identityToken));
    }
    return to.bearerTokenFile()
        .<ChannelCredentials>map(
            file -> CompositeChannelCredentials.create(channel, TokenCallCredentials.of(file)))
        .orElse(channel);
  }

  /**
   * Returns a listener that has a refused token of the kubeconfig renewed before the next attempt.
   */
  WatchListener renewing(WatchListener listener) {
    return identity
        .<WatchListener>map(user -> new RenewingListener(user, listener))
        .orElse(listener);
  }

  private boolean hasIdentityToken() throws IOException {
    return identity.isPresent() && identity.get().token().isPresent();
  }

  private String identityToken() throws IOException {
    return identity.orElseThrow().token().orElseThrow();
  }

  private TlsCredentials tls() throws IOException {
    TlsCredentials credentials = new TlsCredentials();
    try {
      if (to.tlsCa().isPresent()) {
        credentials = credentials.trustedAuthorities(to.tlsCa().get());
      }
      if (to.tlsClientCert().isPresent() && to.tlsClientKey().isPresent()) {
        credentials =
            credentials.clientCertificate(to.tlsClientCert().get(), to.tlsClientKey().get());
      }
    } catch (IOException e) {
      throw new IOException("TLS: " + FileErrors.text(e), e);
    }
    return identity
        .flatMap(UserIdentity::certificate)
        .map(credentials::clientCertificate)
        .orElse(credentials);
  }

  /** Listener that drops the token of a kubeconfig when the gateway refuses it. */
  private record RenewingListener(UserIdentity user, WatchListener listener)
      implements WatchListener {
    @Override
    public void onUpdate(WatchUpdate update) {
      if (update instanceof WatchUpdate.Interrupted interrupted
          && interrupted.cause() instanceof Interruption.Failed(WatchError error)
          && error.reason().equals("CREDENTIALS_EXPIRED")) {
        user.onRejected();
      }
      listener.onUpdate(update);
    }

    @Override
    public void onClosed() {
      listener.onClosed();
    }
  }
}
