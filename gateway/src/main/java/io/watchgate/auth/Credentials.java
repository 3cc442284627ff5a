package io.watchgate.auth;

import java.security.cert.X509Certificate;
import java.util.List;

/** What a call shows to say who it is from. */
public sealed interface Credentials {

  /** Nothing. */
  record None() implements Credentials {}

  /** A token; never empty. Its text says nothing of it. */
  record Bearer(String token) implements Credentials {
    @Override
    public String toString() {
      return "Bearer";
    }
  }

  /**
   * The certificate of its connection, which an authority signed that the gateway had then.
   *
   * @param chain from the certificate towards that authority, as it was shown
   */
  record Certificate(X509Certificate certificate, List<X509Certificate> chain)
      implements Credentials {
    public Certificate {
      chain = List.copyOf(chain);
    }

    /** One that the authority itself signed. */
    public Certificate(X509Certificate certificate) {
      this(certificate, List.of(certificate));
    }

    @Override
    public String toString() {
      return "Certificate";
    }
  }

  /**
   * Something else.
   *
   * @param what is wrong, without what it is
   */
  record Unusable(String what) implements Credentials {}
}
