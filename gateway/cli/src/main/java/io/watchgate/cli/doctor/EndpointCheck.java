package io.watchgate.cli.doctor;

import io.watchgate.cli.output.TerminalEscaper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Check of the way to one address: its name, a connection to each address of it, and the
 * certificate that answers. Blocks, at most some seconds for each address.
 *
 * @param target {@code HOST:PORT} or URL, as it is written
 * @param serverName name that the certificate is asked for; empty for plaintext
 */
public record EndpointCheck(
    ServerKind kind, String target, String host, int port, Optional<String> serverName) {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** Addresses of a name that are connected to. */
  private static final int MAX_ADDRESSES = 8;

  private static final Duration ENDS_SOON = Duration.ofDays(14);

  /** Returns the findings, in the order of the steps, up to the step that fails. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    List<InetAddress> addresses;
    try {
      addresses = List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      findings.add(
          Finding.problem(
              target,
              "name",
              "the name '" + TerminalEscaper.inLine(host) + "' cannot be looked up",
              kind.nameAdvice()));
      return findings;
    }
    findings.add(
        Finding.ok(
            target,
            "name",
            addresses.stream()
                .map(InetAddress::getHostAddress)
                .distinct()
                .collect(Collectors.joining(", "))));
    connect(addresses, findings)
        .ifPresent(answering -> serverName.ifPresent(name -> checkTls(answering, name, findings)));
    return findings;
  }

  /** Returns the first address that answers. */
  private Optional<InetAddress> connect(List<InetAddress> addresses, List<Finding> findings) {
    List<InetAddress> answering = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    for (InetAddress address : addresses.stream().limit(MAX_ADDRESSES).toList()) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(address, port), (int) TIMEOUT.toMillis());
        answering.add(address);
      } catch (IOException e) {
        silent.add(address.getHostAddress() + " (" + reason(e) + ")");
      }
    }
    String subject = "port " + port + " of " + String.join(", ", silent);
    if (answering.isEmpty()) {
      findings.add(
          Finding.problem(
              target, "connection", "nothing answers at " + subject, kind.connectionAdvice()));
    } else if (silent.isEmpty()) {
      findings.add(Finding.ok(target, "connection", answering.size() + " of its addresses answer"));
    } else {
      findings.add(
          Finding.warning(
              target,
              "connection",
              "nothing answers at " + subject + "; " + answering.size() + " others answer",
              "Clients lose time with an address that does not answer; remove it from the name, or"
                  + " start what should be there."));
    }
    return answering.stream().findFirst();
  }

  private static String reason(IOException failure) {
    String text = String.valueOf(failure.getMessage());
    return text.isEmpty() ? failure.getClass().getSimpleName() : TerminalEscaper.inLine(text);
  }

  private void checkTls(InetAddress address, String name, List<Finding> findings) {
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(address, port), (int) TIMEOUT.toMillis());
      plain.setSoTimeout((int) TIMEOUT.toMillis());
      SSLSocket socket =
          (SSLSocket)
              withoutTrust()
                  .getSocketFactory()
                  .createSocket(plain, name, port, /* autoClose= */ true);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(kind.protocols());
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      Certificate[] chain = socket.getSession().getPeerCertificates();
      if (chain[0] instanceof X509Certificate certificate) {
        findings.add(ofCertificate(certificate, socket.getSession().getProtocol()));
      }
    } catch (SSLException e) {
      findings.add(
          Finding.problem(target, "tls", "no TLS there: " + reason(e), kind.plaintextAdvice()));
    } catch (IOException e) {
      findings.add(
          Finding.problem(
              target,
              "tls",
              "the connection ended in the TLS handshake: " + reason(e),
              kind.handshakeAdvice()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java has no TLS", e);
    }
  }

  private Finding ofCertificate(X509Certificate certificate, String protocol) {
    Instant now = Instant.now();
    Instant begin = certificate.getNotBefore().toInstant();
    Instant end = certificate.getNotAfter().toInstant();
    String subject =
        protocol
            + ", a certificate for "
            + TerminalEscaper.inLine(names(certificate))
            + ", valid from "
            + begin.truncatedTo(ChronoUnit.SECONDS)
            + " to "
            + end.truncatedTo(ChronoUnit.SECONDS);
    if (now.isBefore(begin) || now.isAfter(end)) {
      return Finding.problem(
          target,
          "certificate",
          subject,
          "It is not valid now: have it renewed. A wrong clock of this machine has the same"
              + " effect.");
    }
    if (Duration.between(now, end).compareTo(ENDS_SOON) < 0) {
      return Finding.warning(
          target,
          "certificate",
          subject,
          "It ends within "
              + ENDS_SOON.toDays()
              + " days: have it renewed. A gateway reads the new"
              + " files by itself.");
    }
    return Finding.ok(target, "certificate", subject);
  }

  private static String names(X509Certificate certificate) {
    try {
      var names = certificate.getSubjectAlternativeNames();
      return names == null
          ? certificate.getSubjectX500Principal().getName()
          : names.stream()
              .map(name -> String.valueOf(name.get(1)))
              .collect(Collectors.joining(", "));
    } catch (CertificateParsingException e) {
      return "names that cannot be read";
    }
  }

  /**
   * Returns a context that accepts each certificate, to show it. Nothing is sent over it; the call
   * that follows checks the certificate.
   */
  private static SSLContext withoutTrust() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, Stream.of(new AcceptAll()).toArray(TrustManager[]::new), null);
    return context;
  }

  private static final class AcceptAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
