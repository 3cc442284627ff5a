package io.watchgate.auth;

/** Where the user stands in a certificate. Groups are the organisations (O) of its subject. */
public enum CertificateUserField {
  /** The common name, as the apiserver has it. */
  COMMON_NAME,
  /** The only URI among the alternative names, as SPIFFE has it. */
  URI
}
