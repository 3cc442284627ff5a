package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of one request.
 *
 * @param authorization the header of that name; empty: none
 * @param identity the certificate from an exec plugin, if any
 */
record RequestCredentials(String authorization, @Nullable CertificateAndKey identity) {
  static final RequestCredentials NONE = new RequestCredentials("", null);

  static RequestCredentials bearer(String token) {
    return new RequestCredentials("Bearer " + token, null);
  }

  @Override
  public String toString() {
    return "Login[...]";
  }
}
