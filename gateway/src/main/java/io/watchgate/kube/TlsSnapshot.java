package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What connections are made with at one moment.
 *
 * @param authorities empty: those that the JDK trusts
 * @param identity our certificate and key, if any
 */
record TlsSnapshot(List<X509Certificate> authorities, @Nullable CertificateAndKey identity) {}
