package io.watchgate.auth;

/**
 * Field of a certificate that names the user. The groups are the organisations (O) of its subject.
 */
public enum CertificateUserField {
  /** The common name, which the apiserver uses as well. */
  COMMON_NAME,
  /** The only URI among the alternative names, as in SPIFFE. */
  URI
}
