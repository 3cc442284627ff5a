package io.watchgate.http;

import io.watchgate.auth.Credentials;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Client certificates of the requests to a caching proxy. As at an apiserver, a trusted certificate
 * takes precedence over a token. The apiserver never sees the certificate, so a request that is
 * authenticated by a certificate cannot be relayed. Thread-safe.
 *
 * @param trusted whether a chain, the client's certificate first, leads to an authority
 */
record ClientCertificates(Predicate<List<X509Certificate>> trusted) {
  /** Returns the certificate of a request, if it has one that is trusted. */
  Optional<Credentials.Certificate> of(ApiExchange exchange) {
    List<X509Certificate> chain = exchange.certificates();
    return !chain.isEmpty() && trusted.test(chain)
        ? Optional.of(new Credentials.Certificate(chain, Credentials.Port.KUBERNETES_API))
        : Optional.empty();
  }

  /**
   * Requires that a relayed request is the same caller's at the apiserver.
   *
   * @throws StatusException for the holder of a trusted certificate, with the code that fits the
   *     reason; 401, as at an apiserver, for one that is not trusted and comes without a token
   */
  void requireRelayable(ApiExchange exchange, RelayReason reason) throws StatusException {
    List<X509Certificate> chain = exchange.certificates();
    if (chain.isEmpty()) {
      return;
    }
    if (trusted.test(chain)) {
      throw refusal(reason);
    }
    if (!exchange.request().getHeaders().contains(HttpHeader.AUTHORIZATION)) {
      throw StatusErrors.unauthorized();
    }
  }

  /**
   * Returns the refusal of a request that could only be relayed, which its certificate prevents. A
   * temporary reason must not get a 403: after that, a client may give up for good.
   */
  static StatusException refusal(RelayReason reason) {
    return switch (reason) {
      case LIMIT, CAPACITY -> StatusErrors.limitOfCertificate();
      case LOADING, NOT_PROVEN -> StatusErrors.loading();
      case UNANSWERED -> StatusErrors.apiserverUnreachable();
      case OLD_VERSION -> StatusErrors.oldVersionOfCertificate();
      case FUTURE_VERSION -> StatusErrors.versionNotReached();
      case OTHER_PATH,
          METHOD,
          SUBRESOURCE,
          PARAMETERS,
          FORMAT,
          TYPE,
          CONSISTENT_GET,
          CLOSED_TYPE,
          UNKNOWN_CALLER,
          ACCESS,
          ABSENT ->
          StatusErrors.certificateNotRelayed();
    };
  }
}
