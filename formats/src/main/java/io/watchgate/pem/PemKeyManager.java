package io.watchgate.pem;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Key manager of a client whose certificate and private key are in PEM files, which are read again
 * for each handshake. Thread-safe.
 */
public final class PemKeyManager extends X509ExtendedKeyManager {
  private final ReloadingPem<CertificateAndKey> source;
  private volatile Named named;

  /**
   * Identity with the alias under which a handshake requests its parts in separate calls. The alias
   * prevents that a replacement of the files mixes an old certificate with a new key.
   *
   * @param before replaced identity, which handshakes that began with it still need
   */
  private record Named(String alias, CertificateAndKey identity, @Nullable Named before) {}

  private PemKeyManager(ReloadingPem<CertificateAndKey> source, CertificateAndKey first) {
    this.source = source;
    this.named = new Named("0", first, null);
  }

  /**
   * Reads the files.
   *
   * @param certificate the client's certificate, then its issuers
   * @param key in PKCS #8, PKCS #1 (RSA) or SEC 1 (EC), not encrypted
   * @throws IOException if a file cannot be used; the message names the file and the reason
   */
  public static PemKeyManager of(Path certificate, Path key) throws IOException {
    return of(
        certificate.toString(),
        new PemSource.InFile(certificate),
        key.toString(),
        new PemSource.InFile(key));
  }

  /**
   * Reads the sources, which may be parts of a configuration.
   *
   * @param certificate the client's certificate, then its issuers
   * @param key in PKCS #8, PKCS #1 (RSA) or SEC 1 (EC), not encrypted
   * @throws IOException if one cannot be used; the message has the reason
   */
  public static PemKeyManager of(PemSource certificate, PemSource key) throws IOException {
    return of("client-certificate", certificate, "client-key", key);
  }

  private static PemKeyManager of(
      String certificateName, PemSource certificate, String keyName, PemSource key)
      throws IOException {
    ReloadingPem<CertificateAndKey> source =
        new ReloadingPem<>(
            "the client certificate",
            List.of(certificate, key),
            texts -> CertificateAndKey.of(certificateName, texts.get(0), keyName, texts.get(1)));
    return new PemKeyManager(source, source.current());
  }

  /** Returns whether BoringSSL, the TLS library of gRPC, supports the keys. */
  public boolean isKnownToBoringSsl() {
    return Pem.isKnownToBoringSsl(named.identity.key());
  }

  private synchronized String alias() {
    CertificateAndKey now;
    try {
      now = source.current();
    } catch (IOException e) {
      throw new IllegalStateException("the first content stays in use", e);
    }
    Named known = named;
    if (!known.identity.equals(now)) {
      String alias = Integer.toString(Integer.parseInt(known.alias) + 1);
      named = new Named(alias, now, new Named(known.alias, known.identity, null));
    }
    return named.alias;
  }

  private @Nullable CertificateAndKey find(String alias) {
    Named now = named;
    if (now.alias.equals(alias)) {
      return now.identity;
    }
    Named before = now.before;
    return before != null && before.alias.equals(alias) ? before.identity : null;
  }

  @Override
  public String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return alias();
  }

  @Override
  public String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return alias();
  }

  @Override
  public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return new String[] {alias()};
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    CertificateAndKey identity = find(alias);
    return identity == null ? null : identity.chain().toArray(new X509Certificate[0]);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    CertificateAndKey identity = find(alias);
    return identity == null ? null : identity.key();
  }

  /** Returns null: a client has no server aliases. */
  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  /** Returns null: a client has no server alias. */
  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
