package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.CertificateBundle;
import io.watchgate.pem.ClientVerifier;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.ReloadingPem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of the gRPC server: its certificate, its key, and the authorities of client certificates.
 * {@link MinVersion} is its minimum version. The files may be replaced at any time. {@link
 * #startReloading} takes over valid files for new connections, and keeps the previous ones if a
 * file is invalid. Open connections stay. Thread-safe.
 *
 * <p>A pair is used after a handshake with it succeeded ({@link TlsLibrary}). At the start an
 * expired certificate is served, with a warning, since the next one is read within seconds. Later
 * an expired certificate never replaces a valid one.
 */
public final class ServerTls {
  private static final Logger log = LoggerFactory.getLogger(ServerTls.class);

  private final Files files;
  private final ReloadingPem<Pair> identity;
  private final @Nullable ReloadingPem<List<X509Certificate>> authorities;
  private final AtomicBoolean reloading = new AtomicBoolean();
  private final ClientTrustManager.Refusals refusals = new ClientTrustManager.Refusals();
  private volatile @Nullable CertificateAndKey held;
  private volatile Material material;
  private volatile SslContext context;
  private volatile @Nullable ClientVerifier trusted;
  private volatile String failure = "";

  /** True if a client was refused for the certificate of its connection. */
  private volatile boolean sessionsRefused;

  /** Time at which all sessions ended last, by {@code nanoTime}. */
  private long sessionsEndedAt =
      System.nanoTime() - TransportSettings.TLS_SESSIONS_END_INTERVAL.toNanos();

  /** Lowest supported version of TLS. */
  public enum MinVersion {
    TLS_1_2,
    TLS_1_3;

    /** Returns the names of this version and the later ones. */
    public List<String> protocols() {
      return switch (this) {
        case TLS_1_2 -> List.of("TLSv1.2", "TLSv1.3");
        case TLS_1_3 -> List.of("TLSv1.3");
      };
    }
  }

  /**
   * Files of the server, all in PEM.
   *
   * @param certificate the chain, the server's certificate first
   * @param key in PKCS #8, PKCS #1 or SEC 1, not encrypted
   * @param clients null: no client certificate is requested
   */
  public record Files(
      Path certificate, Path key, @Nullable Clients clients, MinVersion minVersion) {}

  /**
   * Client certificates. A certificate that none of the authorities signed is always refused.
   *
   * @param wanted treatment of clients without a certificate
   */
  public record Clients(Path authorities, Wanted wanted) {
    /** Treatment of clients without a certificate. */
    public enum Wanted {
      /** Their handshake fails. */
      REQUIRED,
      OPTIONAL;

      private ClientAuth auth() {
        return switch (this) {
          case REQUIRED -> ClientAuth.REQUIRE;
          case OPTIONAL -> ClientAuth.OPTIONAL;
        };
      }
    }
  }

  /** A certificate with its key, and the TLS library that serves them. */
  private record Pair(CertificateAndKey identity, TlsLibrary library) {}

  /** Parts of a context for connections; authorities null: no client certificate is requested. */
  private record Material(Pair pair, @Nullable List<X509Certificate> authorities) {}

  /**
   * Reads the files.
   *
   * @throws IOException which names the unusable file and the cause
   */
  public ServerTls(Files files) throws IOException {
    this.files = files;
    this.identity =
        new ReloadingPem<>(
            "the gateway's certificate",
            List.of(in(files.certificate), in(files.key)),
            texts -> pair(texts.getFirst(), texts.getLast()));
    Clients clients = files.clients;
    this.authorities =
        clients == null
            ? null
            : new ReloadingPem<>(
                "the CA of clients",
                List.of(in(clients.authorities)),
                texts -> certificates(clients.authorities, texts.getFirst()));
    this.material = read();
    this.context = context(material);
    this.trusted = trust(material.authorities);
    if (!expiry().isAfter(Instant.now())) {
      log.warn(
          "{} expired at {}: clients that check certificates do not connect. Replace the file; it"
              + " is read every {} s.",
          files.certificate,
          expiry(),
          ReloadingPem.SERVER_INTERVAL.toSeconds());
    }
  }

  private Pair pair(String certificatePem, String keyPem) throws PemException {
    CertificateAndKey found =
        CertificateAndKey.of(
            files.certificate.toString(), certificatePem, files.key.toString(), keyPem);
    CertificateAndKey before = held;
    if (before != null) {
      found.requireMayReplace(before, files.certificate.toString(), Instant.now());
    }
    TlsLibrary library;
    try {
      library = TlsLibrary.of(found, files.minVersion.protocols());
    } catch (SSLException e) {
      throw new PemException(
          "%s and %s are not a pair that TLS can serve: %s. %s"
              .formatted(files.certificate, files.key, e.getMessage(), CertificateAndKey.SERVABLE));
    }
    held = found;
    return new Pair(found, library);
  }

  private static PemSource in(Path file) {
    return new PemSource.InFile(file);
  }

  private static List<X509Certificate> certificates(Path file, String text) throws PemException {
    try {
      return CertificateBundle.of(text).certificates(file.toString());
    } catch (PemException e) {
      throw new PemException(file + " " + e.getMessage());
    }
  }

  private Material read() throws IOException {
    return new Material(identity.current(), authorities == null ? null : authorities.current());
  }

  /**
   * Creates a new context for each state of the files. Rejected: trust managers that change inside
   * one context. A session from before could then be resumed although its authority was removed.
   * Besides, a new context sends clients the current authorities.
   */
  private SslContext context(Material material) throws IOException {
    Pair pair = material.pair;
    TlsLibrary library =
        material.authorities == null ? pair.library : pair.library.andFor(material.authorities);
    SslContextBuilder builder =
        library
            .server(pair.identity)
            .protocols(files.minVersion.protocols())
            .sessionTimeout(TransportSettings.TLS_SESSION_TIMEOUT.toSeconds());
    if (material.authorities != null && files.clients != null) {
      builder
          .trustManager(ClientTrustManager.of(material.authorities, library, refusals))
          .clientAuth(files.clients.wanted.auth());
    }
    return builder.build();
  }

  private void reloadChanged() throws IOException {
    Material found = read();
    boolean endsSessions =
        sessionsRefused
            && System.nanoTime() - sessionsEndedAt
                >= TransportSettings.TLS_SESSIONS_END_INTERVAL.toNanos();
    if (!found.equals(material) || endsSessions) {
      context = context(found);
      sessionsRefused = false;
      sessionsEndedAt = System.nanoTime();
      trusted = trust(found.authorities);
      material = found;
    }
  }

  /**
   * Reads the files every 10 s from now on, on a thread of its own. A file system that hangs blocks
   * nothing else, and no second read is started.
   *
   * @param timer ends the reads when it is shut down
   */
  public void startReloading(ScheduledExecutorService timer) {
    long seconds = ReloadingPem.SERVER_INTERVAL.toSeconds();
    var _ = timer.scheduleWithFixedDelay(this::startReload, seconds, seconds, TimeUnit.SECONDS);
  }

  private void startReload() {
    if (reloading.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("tls-files")
          .start(
              () -> {
                try {
                  reload();
                } finally {
                  reloading.set(false);
                }
              });
    }
  }

  /** Reads the files once; a few kilobytes. */
  synchronized void reload() {
    try {
      reloadChanged();
      failure = "";
    } catch (IOException | RuntimeException e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(failure)) {
        failure = reason;
        log.warn("TLS files were not reloaded; the previous ones stay in use: {}", reason);
      }
    }
  }

  /**
   * Ends all sessions at a later read of the files, because a client was refused for its
   * certificate. A client that resumes its session does not show its newer one, for up to two days.
   */
  void endSessions() {
    sessionsRefused = true;
  }

  /** Returns whether the files are currently unusable, so that their previous content is used. */
  public boolean isRejected() {
    return !failure.isEmpty()
        || !identity.problem().isEmpty()
        || (authorities != null && !authorities.problem().isEmpty());
  }

  /**
   * Returns whether a client's certificate leads to a current authority. A client whose authority
   * was removed may still be connected.
   *
   * @param chain as the client sent it
   */
  public boolean trusts(List<X509Certificate> chain) {
    ClientVerifier trust = trusted;
    return trust != null && trust.trusts(chain);
  }

  /** Returns a verifier by these authorities only; null for null. */
  private static @Nullable ClientVerifier trust(@Nullable List<X509Certificate> authorities) {
    return authorities == null ? null : new ClientVerifier(authorities);
  }

  /** Returns the expiry of the server's certificate. */
  public Instant expiry() {
    return material.pair.identity.expiry();
  }

  /** Returns a context for a server; it follows the files that are taken over later. */
  SslContext context() {
    return new DelegatingSslContext(() -> context);
  }
}
