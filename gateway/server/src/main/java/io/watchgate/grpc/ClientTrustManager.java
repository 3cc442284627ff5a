package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSslCertificateException;
import io.grpc.netty.shaded.io.netty.internal.tcnative.CertificateVerifier;
import io.watchgate.pem.Pem;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trust manager of the server for client certificates. The JDK's own trust manager verifies them. A
 * refusal is logged, at most every 10 s. Thread-safe.
 *
 * <p>Netty reports most refusals of the JDK's trust manager to BoringSSL without a cause. The
 * client would then get the alert {@code internal_error}. So this class names the cause.
 */
final class ClientTrustManager extends X509ExtendedTrustManager {
  private static final Logger log = LoggerFactory.getLogger(ClientTrustManager.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int MAX_LOGGED_CHARS = 200;
  private static final Pattern UNPRINTABLE = Pattern.compile("[^\\x20-\\x7e]");

  /** Reasons for which Netty chooses the alert itself. */
  private static final Set<BasicReason> KNOWN_TO_NETTY =
      EnumSet.of(BasicReason.EXPIRED, BasicReason.NOT_YET_VALID, BasicReason.REVOKED);

  private final X509ExtendedTrustManager verifier;
  private final TlsLibrary library;
  private final Refusals refusals;

  /**
   * Refusals of all trust managers of one server, which has another one after each reload of its
   * files. Thread-safe.
   */
  static final class Refusals {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

    private void record(X509Certificate[] chain, String problem) {
      long refused = count.incrementAndGet();
      long now = System.nanoTime();
      long last = loggedAt.get();
      if (now - last >= LOG_INTERVAL_NANOS && loggedAt.compareAndSet(last, now)) {
        log.warn(
            "refused a client certificate, subject {}, issuer {}: {} ({} refused so far)",
            printable(chain[0].getSubjectX500Principal().getName()),
            printable(chain[0].getIssuerX500Principal().getName()),
            printable(problem),
            refused);
      }
    }

    /** Returns text of a client that is safe and short enough for a line of the log. */
    private static String printable(String text) {
      String start = text.substring(0, Math.min(MAX_LOGGED_CHARS, text.length()));
      return UNPRINTABLE.matcher(start).replaceAll("?");
    }
  }

  private ClientTrustManager(
      X509ExtendedTrustManager verifier, TlsLibrary library, Refusals refusals) {
    this.verifier = verifier;
    this.library = library;
    this.refusals = refusals;
  }

  /**
   * Creates a trust manager by at least one authority.
   *
   * @param library implementation of TLS that calls it
   */
  static ClientTrustManager of(
      List<X509Certificate> authorities, TlsLibrary library, Refusals refusals) {
    try {
      return new ClientTrustManager(Pem.trusting(authorities), library, refusals);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK can do this", e);
    }
  }

  private CertificateException refusal(X509Certificate[] chain, CertificateException thrown) {
    refusals.record(chain, reason(thrown));
    if (library != TlsLibrary.BORING_SSL || isKnownToNetty(thrown)) {
      return thrown;
    }
    int code =
        isUnknownAuthority(thrown)
            ? CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
            : CertificateVerifier.X509_V_ERR_CERT_REJECTED;
    return new OpenSslCertificateException(thrown.getMessage(), thrown, code);
  }

  private static String reason(CertificateException thrown) {
    return isUnknownAuthority(thrown)
        ? "no CA of --tls-client-ca signed it"
        : String.valueOf(thrown.getMessage());
  }

  private static boolean isKnownToNetty(Throwable thrown) {
    for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathValidatorException invalid
          && invalid.getReason() instanceof BasicReason reason
          && KNOWN_TO_NETTY.contains(reason)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isUnknownAuthority(Throwable thrown) {
    for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException
          || (cause instanceof CertPathValidatorException invalid
              && invalid.getReason() == BasicReason.INVALID_SIGNATURE)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      verifier.checkClientTrusted(chain, type, engine);
    } catch (CertificateException e) {
      throw refusal(chain, e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    try {
      verifier.checkClientTrusted(chain, type, socket);
    } catch (CertificateException e) {
      throw refusal(chain, e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    try {
      verifier.checkClientTrusted(chain, type);
    } catch (CertificateException e) {
      throw refusal(chain, e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    verifier.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    verifier.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    verifier.checkServerTrusted(chain, type);
  }

  /** Returns the authorities, which the server names to its clients. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return verifier.getAcceptedIssuers();
  }
}
