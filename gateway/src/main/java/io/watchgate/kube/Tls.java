package io.watchgate.kube;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the apiserver is recognised, and how it recognises us.
 *
 * @param authorities who may have signed its certificate; none: those that the JDK trusts
 * @param serverName the name in its certificate, if another than that of the URL; else empty
 * @param identity our certificate and key, if any
 */
record Tls(
    Verification verification,
    List<X509Certificate> authorities,
    String serverName,
    @Nullable Identity identity) {

  /** Whether the apiserver has to prove who it is. */
  enum Verification {
    FULL,
    SKIPPED
  }

  /** A client certificate, the signers of it behind it, and its key. */
  record Identity(List<X509Certificate> chain, PrivateKey key) {
    @Override
    public String toString() {
      return chain.getFirst().getSubjectX500Principal().toString();
    }
  }
}
