package io.watchgate.kube;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Input of an exec plugin, in the variable {@code KUBERNETES_EXEC_INFO}. */
final class ExecInfo {
  /** Extension of a cluster entry that is meant for plugins. */
  private static final String EXTENSION = "client.authentication.k8s.io/exec";

  private static final Gson GSON =
      new GsonBuilder()
          .registerTypeAdapter(
              KubeconfigYaml.YesOrNo.class,
              (JsonSerializer<KubeconfigYaml.YesOrNo>)
                  (flag, type, context) -> new JsonPrimitive(flag.value()))
          .create();

  private final String apiVersion;
  private final @Nullable JsonObject cluster;
  private final @Nullable PemSource authorities;

  private ExecInfo(
      String apiVersion, @Nullable JsonObject cluster, @Nullable PemSource authorities) {
    this.apiVersion = apiVersion;
    this.cluster = cluster;
    this.authorities = authorities;
  }

  static ExecInfo withoutCluster(String apiVersion) {
    return new ExecInfo(apiVersion, null, null);
  }

  /** Returns an input that includes the cluster ({@code provideClusterInfo}). */
  static ExecInfo withCluster(
      String apiVersion, KubeconfigSection section, KubeconfigCluster cluster)
      throws ConfigException {
    JsonObject json = new JsonObject();
    json.addProperty("server", section.text("server"));
    if (!cluster.serverName().isEmpty()) {
      json.addProperty("tls-server-name", cluster.serverName());
    }
    if (cluster.verification() == TlsOptions.Verification.SKIPPED) {
      json.addProperty("insecure-skip-tls-verify", true);
    }
    if (!section.text("proxy-url").isEmpty()) {
      json.addProperty("proxy-url", section.text("proxy-url"));
    }
    if (section.flag("disable-compression")) {
      json.addProperty("disable-compression", true);
    }
    for (KubeconfigSection extension : section.list("extensions")) {
      if (extension.text("name").equals(EXTENSION)) {
        JsonElement config = GSON.toJsonTree(extension.members().get("extension"));
        json.add("config", config);
      }
    }
    return new ExecInfo(apiVersion, json, cluster.authorities());
  }

  /**
   * Returns the JSON, with the current certificate authority.
   *
   * @throws IOException if the certificate authority cannot be read
   */
  String json() throws IOException {
    JsonObject spec = new JsonObject();
    spec.addProperty("interactive", false);
    if (cluster != null) {
      JsonObject now = cluster.deepCopy();
      if (authorities != null) {
        byte[] pem = authorities.read().getBytes(StandardCharsets.ISO_8859_1);
        now.addProperty("certificate-authority-data", Base64.getEncoder().encodeToString(pem));
      }
      spec.add("cluster", now);
    }
    JsonObject credential = new JsonObject();
    credential.addProperty("kind", "ExecCredential");
    credential.addProperty("apiVersion", apiVersion);
    credential.add("spec", spec);
    return GSON.toJson(credential);
  }
}
