package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS material of new connections at one moment.
 *
 * @param authorities empty: the JDK's
 * @param identity the client's certificate and key, if any
 */
record TlsSnapshot(List<X509Certificate> authorities, @Nullable CertificateAndKey identity) {}
