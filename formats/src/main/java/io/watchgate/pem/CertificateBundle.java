package io.watchgate.pem;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificates of authorities in one text. An unreadable certificate is left out and reported, as
 * in Go: the other certificates are as trustworthy as before. (A chain that is sent to others must
 * be readable completely: {@link Pem#certificates}.)
 *
 * @param certificates readable certificates, at least one
 * @param unreadable one line for each unreadable certificate: its number and the reason
 */
public record CertificateBundle(List<X509Certificate> certificates, List<String> unreadable) {
  private static final Logger log = LoggerFactory.getLogger(CertificateBundle.class);
  private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
  private static final String END = "-----END CERTIFICATE-----";

  public CertificateBundle {
    certificates = List.copyOf(certificates);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * Parses the text. Text between the certificates is ignored.
   *
   * @throws PemException if there is no certificate, or no readable one
   */
  public static CertificateBundle of(String pem) throws PemException {
    List<X509Certificate> certificates = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    int number = 0;
    for (int at = pem.indexOf(BEGIN); at >= 0; ) {
      int from = at + BEGIN.length();
      int next = pem.indexOf(BEGIN, from);
      int to = pem.indexOf(END, from);
      number++;
      try {
        if (to < 0 || (next >= 0 && next < to)) {
          throw new PemException("it has no end");
        }
        certificates.add(certificate(pem.substring(from, to)));
      } catch (PemException e) {
        unreadable.add("certificate " + number + ": " + e.getMessage());
      }
      at = next;
    }
    if (certificates.isEmpty()) {
      throw new PemException(
          number == 0
              ? "holds no PEM certificate"
              : "holds a certificate that cannot be read, and none that can");
    }
    return new CertificateBundle(certificates, unreadable);
  }

  private static X509Certificate certificate(String base64) throws PemException {
    try {
      return Pem.certificate(base64);
    } catch (PemException e) {
      throw new PemException("it cannot be read");
    }
  }

  /**
   * Logs each unreadable certificate once and returns the readable ones.
   *
   * @param source name of the text, for the log
   */
  public List<X509Certificate> certificates(String source) {
    for (String each : unreadable) {
      log.warn("{}: {}; it is left out, the other {} are used", source, each, certificates.size());
    }
    return certificates;
  }
}
