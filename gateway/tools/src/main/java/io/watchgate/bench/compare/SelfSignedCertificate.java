package io.watchgate.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * Self-signed server certificate for a gateway on this machine, of the kind that the tests'
 * kube-apiserver has (P-256). Made by the JDK's keytool.
 *
 * @param chain PEM file
 * @param key PEM file, PKCS#8
 */
record SelfSignedCertificate(Path chain, Path key) {
  private static final String ALIAS = "gateway";

  /** Password that keytool requires. It is deleted with the folder. */
  private static final String PASSWORD = "only-here";

  static SelfSignedCertificate create(Path folder) throws IOException, InterruptedException {
    Path store = folder.resolve("gateway.p12");
    List<String> keytool =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=gateway",
            "-ext",
            "san=ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    try (ChildProcess made = ChildProcess.program("keytool", keytool)) {
      if (made.await() != 0) {
        throw new IOException("keytool failed: " + made.lastLines());
      }
    }
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Path chain = folder.resolve("gateway.crt");
      Path key = folder.resolve("gateway.key");
      write(chain, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
      write(key, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
      return new SelfSignedCertificate(chain, key);
    } catch (GeneralSecurityException e) {
      throw new IOException("no certificate: " + e.getMessage(), e);
    }
  }

  private static void write(Path file, String kind, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    Files.writeString(
        file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
  }

  List<String> serverOptions() {
    return List.of("--tls-cert=" + chain, "--tls-key=" + key);
  }

  List<String> clientOptions() {
    return List.of("--tls-ca=" + chain);
  }
}
