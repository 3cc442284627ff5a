package io.watchgate.grpc;

import okhttp3.tls.HeldCertificate;

/** Certificate authorities that sign the certificates of a test. */
public final class TestAuthority {
  private TestAuthority() {}

  /** Creates an authority; it signs end-entity certificates only. */
  public static HeldCertificate named(String commonName) {
    return new HeldCertificate.Builder().certificateAuthority(0).commonName(commonName).build();
  }
}
