package io.watchgate.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * What a server shows of itself, in PEM: the certificate with the signers behind it, and its key in
 * PKCS #8. Read once, when the server is made.
 */
public record TlsFiles(Path certificate, Path key) {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);

  /**
   * @throws IOException if a file cannot be read or does not hold what it should, in one line
   */
  SSLContext context() throws IOException {
    Certificate[] chain = chain();
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setKeyEntry("server", privateKey(), new char[0], chain);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the certificate " + certificate + " and the key " + key + " cannot be used together", e);
    }
  }

  private Certificate[] chain() throws IOException {
    try {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(read(certificate)))
              .toArray(Certificate[]::new);
      if (chain.length > 0) {
        return chain;
      }
    } catch (CertificateException e) {
      // Told below, as is a file without one.
    }
    throw new IOException(certificate + " holds no certificate in PEM");
  }

  private PrivateKey privateKey() throws IOException {
    Matcher pem = KEY.matcher(new String(read(key), StandardCharsets.ISO_8859_1));
    if (!pem.find()) {
      throw new IOException(
          key
              + " holds no unencrypted PKCS #8 key in PEM; `openssl pkcs8 -topk8 -nocrypt -in FILE`"
              + " makes one");
    }
    for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
      try {
        byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        // Of another algorithm, or broken; the next tells.
      }
    }
    throw new IOException(key + " is broken, or neither an RSA, an EC nor an Ed25519 key");
  }

  private static byte[] read(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: it is missing, or not readable for us", e);
    }
  }
}
