package io.watchgate.auth;

import java.security.cert.X509Certificate;
import java.util.List;

/** Credentials of a call. */
public sealed interface Credentials {

  /** Returns the kind for logs: none, token, certificate or unusable. */
  default String kind() {
    return switch (this) {
      case None none -> "none";
      case Bearer _, ApiserverToken _ -> "token";
      case Certificate certificate -> "certificate";
      case Unusable unusable -> "unusable";
    };
  }

  /** Port at which a client shows its certificate: each has authorities of its own. */
  enum Port {
    GRPC,
    KUBERNETES_API
  }

  /** No credentials. */
  record None() implements Credentials {}

  /** A token; never empty. The text of this object does not contain it. */
  record Bearer(String token) implements Credentials {
    @Override
    public String toString() {
      return "Bearer";
    }
  }

  /**
   * A token that must be valid at the apiserver itself, to which it may be passed on; never empty.
   * The text of this object does not contain it.
   */
  record ApiserverToken(String token) implements Credentials {
    @Override
    public String toString() {
      return "ApiserverToken";
    }
  }

  /**
   * The certificate of the call's connection, signed by an authority that the gateway trusted
   * during the handshake.
   *
   * @param chain the certificates from this one towards that authority, as the client sent them;
   *     the first is this one
   */
  record Certificate(List<X509Certificate> chain, Port port) implements Credentials {
    public Certificate {
      chain = List.copyOf(chain);
    }

    X509Certificate certificate() {
      return chain.getFirst();
    }

    @Override
    public String toString() {
      return "Certificate";
    }
  }

  /**
   * Credentials that cannot be used.
   *
   * @param problem the defect, without the credentials themselves
   */
  record Unusable(String problem) implements Credentials {}
}
