package io.watchgate.pem;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificates of authorities in one text. Of many, one that cannot be read is left out and named,
 * as in Go: the others vouch for as much as before. (A chain that is shown to others must be read
 * whole: {@link Pem#certificates}.)
 *
 * @param certificates those that can be read, at least one
 * @param unreadable a line for each of the others: which it is, and why
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
   * Reads the text. What stands between the certificates does not matter.
   *
   * @throws PemException if there is no certificate, or none that can be read
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
   * The certificates, once each of those that are left out was named in the log.
   *
   * @param where the text stands, for the log
   */
  public List<X509Certificate> certificates(String where) {
    for (String each : unreadable) {
      log.warn("{}: {}; it is left out, the other {} are used", where, each, certificates.size());
    }
    return certificates;
  }
}
