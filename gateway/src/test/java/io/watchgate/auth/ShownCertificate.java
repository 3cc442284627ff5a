package io.watchgate.auth;

import java.math.BigInteger;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/** Unsigned certificate with any subject, including those that no tool makes. */
final class ShownCertificate extends X509Certificate {
  private static final long serialVersionUID = 1;

  private final X500Principal subject;
  private final transient Collection<List<?>> names;
  private final Instant notAfter;

  /**
   * Creates a certificate.
   *
   * @param uris its alternative names
   */
  ShownCertificate(String subject, Instant notAfter, String... uris) {
    this.subject = new X500Principal(subject);
    this.notAfter = notAfter;
    this.names =
        Stream.concat(
                Stream.<List<?>>of(List.of(2, "a.example")),
                Arrays.stream(uris).<List<?>>map(uri -> List.of(6, uri)))
            .toList();
  }

  @Override
  public X500Principal getSubjectX500Principal() {
    return subject;
  }

  @Override
  public Collection<List<?>> getSubjectAlternativeNames() {
    return names;
  }

  @Override
  public Date getNotAfter() {
    return Date.from(notAfter);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  @Override
  public String toString() {
    return subject.toString();
  }

  @Override
  public void checkValidity() {}

  @Override
  public void checkValidity(Date date) {}

  @Override
  public int getVersion() {
    return 3;
  }

  @Override
  public BigInteger getSerialNumber() {
    return BigInteger.ONE;
  }

  @Override
  @SuppressWarnings("deprecation") // abstract
  public Principal getIssuerDN() {
    return subject;
  }

  @Override
  @SuppressWarnings("deprecation") // abstract
  public Principal getSubjectDN() {
    return subject;
  }

  @Override
  public Date getNotBefore() {
    return Date.from(Instant.EPOCH);
  }

  @Override
  public byte[] getTBSCertificate() {
    throw new UnsupportedOperationException();
  }

  @Override
  public byte[] getSignature() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String getSigAlgName() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String getSigAlgOID() {
    throw new UnsupportedOperationException();
  }

  @Override
  public byte[] getSigAlgParams() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean[] getIssuerUniqueID() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean[] getSubjectUniqueID() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean[] getKeyUsage() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int getBasicConstraints() {
    return -1;
  }

  @Override
  public byte[] getEncoded() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void verify(PublicKey key) {}

  @Override
  public void verify(PublicKey key, String provider) {}

  @Override
  public PublicKey getPublicKey() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean hasUnsupportedCriticalExtension() {
    return false;
  }

  @Override
  public Set<String> getCriticalExtensionOIDs() {
    return Set.of();
  }

  @Override
  public Set<String> getNonCriticalExtensionOIDs() {
    return Set.of();
  }

  @Override
  public byte[] getExtensionValue(String oid) {
    throw new UnsupportedOperationException();
  }
}
