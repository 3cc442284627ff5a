package io.watchgate.kube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import okhttp3.tls.HeldCertificate;

/** Exec plugin that a test writes, for the shell. */
final class PluginScript {
  static final String V1 = "client.authentication.k8s.io/v1";

  private final Path folder;

  PluginScript(Path folder) {
    this.folder = folder;
  }

  /** Makes the plugin print this text, and record its runs. */
  PluginScript prints(String text) throws IOException {
    Files.writeString(folder.resolve("answer"), text);
    return does("cat " + folder.resolve("answer"));
  }

  /** Makes the plugin run these commands, and record its runs. */
  PluginScript does(String commands) throws IOException {
    Files.writeString(
        folder.resolve("plugin.sh"), "echo run >> " + folder.resolve("runs") + "\n" + commands);
    return this;
  }

  int runs() throws IOException {
    Path runs = folder.resolve("runs");
    return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
  }

  /**
   * Runs the script by the shell: a program that was just written may not be executed ("text file
   * busy").
   */
  ExecPlugin plugin() {
    return new ExecPlugin(
        "config: user \"u\"",
        "sh",
        List.of(folder.resolve("plugin.sh").toString()),
        Map.of(),
        V1,
        "",
        ExecInfo.withoutCluster(V1));
  }

  static String credential(String status) {
    return "{\"kind\":\"ExecCredential\",\"apiVersion\":\""
        + V1
        + "\",\"status\":{"
        + status
        + "}}";
  }

  static String token(String token, String expires) {
    return credential("\"token\":\"" + token + "\",\"expirationTimestamp\":\"" + expires + "\"");
  }

  static String certificate(HeldCertificate certificate) {
    return credential(
        "\"clientCertificateData\":\""
            + certificate.certificatePem().replace("\n", "\\n")
            + "\",\"clientKeyData\":\""
            + certificate.privateKeyPkcs8Pem().replace("\n", "\\n")
            + "\"");
  }
}
