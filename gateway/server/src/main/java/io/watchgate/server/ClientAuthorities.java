package io.watchgate.server;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApiClient;
import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.ClientVerifier;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.ReloadingPem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authorities of the client certificates of the Kubernetes read API, read again at an interval.
 * Until they are read no certificate is trusted; if a later read fails, the ones before stay in
 * use. Thread-safe.
 */
final class ClientAuthorities implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClientAuthorities.class);

  /** ConfigMap that each kube-apiserver writes if it has authorities of clients. */
  static final String CONFIG_MAP = "extension-apiserver-authentication";

  private static final String PATH = "api/v1/namespaces/kube-system/configmaps/" + CONFIG_MAP;
  private static final String KEY = "client-ca-file";

  private final ReloadingPem<ClientVerifier> authorities;
  private final Runnable onClose;
  private final AtomicBoolean reading = new AtomicBoolean();
  private volatile @Nullable ClientVerifier verifier;
  private String failure = "";

  private ClientAuthorities(String name, PemSource pem, Runnable onClose) {
    this.authorities =
        new ReloadingPem<>(
            "the CA of clients (--kube-client-ca)",
            List.of(pem),
            texts -> new ClientVerifier(CertificateBundle.of(texts.getFirst()).certificates(name)));
    this.onClose = onClose;
  }

  /**
   * Creates authorities that are not read yet, except for a file.
   *
   * @throws ConfigException if the apiserver's TLS cannot be set up
   * @throws IOException if a file cannot be used, with the cause in one line
   */
  static ClientAuthorities of(
      ClientAuthoritySource authority, ClientConfig access, KubeSettings settings)
      throws ConfigException, IOException {
    return switch (authority) {
      case ClientAuthoritySource.InFile(var file) -> of(file);
      case ClientAuthoritySource.OfCluster _ -> {
        RawApiClient client = RawApiClient.of(access, settings);
        yield new ClientAuthorities(
            "the ConfigMap kube-system/" + CONFIG_MAP, () -> read(client), client::close);
      }
    };
  }

  /**
   * Reads authorities of a file.
   *
   * @throws IOException if it cannot be used, with the cause in one line
   */
  static ClientAuthorities of(Path file) throws IOException {
    ClientAuthorities read =
        new ClientAuthorities(file.toString(), new PemSource.InFile(file), () -> {});
    read.verifier = read.authorities.current();
    return read;
  }

  private static String read(RawApiClient client) throws IOException {
    try {
      byte[] body = client.send(RawApiClient.Message.get(PATH));
      JsonElement map = JsonParser.parseString(new String(body, StandardCharsets.UTF_8));
      if (map instanceof JsonObject object
          && object.get("data") instanceof JsonObject data
          && data.has(KEY)) {
        return data.get(KEY).getAsString();
      }
      throw new IOException(PATH + " has no " + KEY + ": the cluster has no CA of clients");
    } catch (KubeException | JsonParseException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Reads the authorities now, and then at an interval, on threads of its own. */
  void start(ScheduledExecutorService timer) {
    long interval = KubeApiSettings.AUTHORITIES_INTERVAL.toSeconds();
    var _ = timer.scheduleWithFixedDelay(this::startReading, 0, interval, TimeUnit.SECONDS);
  }

  private void startReading() {
    if (reading.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("client-authorities")
          .start(
              () -> {
                try {
                  reload();
                } finally {
                  reading.set(false);
                }
              });
    }
  }

  /** Reads the authorities. Until it succeeds once, a failure is logged once. */
  private synchronized void reload() {
    try {
      verifier = authorities.current();
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(failure)) {
        failure = reason;
        log.warn("no client certificate is trusted: {}", reason);
      }
    }
  }

  /** Returns whether a current authority has signed a certificate for clients. */
  boolean trusts(List<X509Certificate> chain) {
    ClientVerifier current = verifier;
    return current != null && current.trusts(chain);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
