package io.watchgate.kube;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Kubeconfig in parts, valid to begin with, and the files that it names. */
abstract class KubeconfigFixture {
  static final HeldCertificate CA =
      new HeldCertificate.Builder().commonName("ca").certificateAuthority(0).build();
  static final HeldCertificate CLIENT =
      new HeldCertificate.Builder().commonName("ann").signedBy(CA).build();
  static final HeldCertificate OTHER = new HeldCertificate.Builder().build();

  /** Placeholder for secrets that must not be quoted. */
  static final String SECRET = "c2VjcmV0";

  static final String CONTEXT =
      """
      contexts: [{name: dev, context: {cluster: c, user: u, namespace: shop}}]
      """;
  static final String CLUSTER =
      """
      clusters: [{name: c, cluster: {server: 'https://10.0.0.1:6443'}}]
      """;
  static final String USER =
      """
      users: [{name: u, user: {token: c2VjcmV0}}]
      """;

  @TempDir static Path shared;
  @TempDir Path folder;

  @BeforeAll
  static void filesThatTablesReferTo() throws IOException {
    Files.writeString(shared.resolve("ca.crt"), CA.certificatePem());
    Files.writeString(shared.resolve("client.crt"), CLIENT.certificatePem());
    Files.writeString(shared.resolve("client.key"), CLIENT.privateKeyPkcs8Pem());
    Files.writeString(shared.resolve("other.key"), OTHER.privateKeyPkcs8Pem());
    Files.writeString(shared.resolve("token"), "from-file\n");
    Files.writeString(shared.resolve("empty"), "\n");
    Files.writeString(shared.resolve("two-lines"), "a\nb\n");
    Files.write(shared.resolve("binary"), new byte[] {(byte) 0xff, 1, 2});
  }

  Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("config"), text);
  }

  static String cluster(String members) {
    return "clusters: [{name: c, cluster: {server: 'https://10.0.0.1:6443', " + members + "}}]\n";
  }

  static String user(String members) {
    return "users: [{name: u, user: {" + members.replace("DIR", shared.toString()) + "}}]\n";
  }

  static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
