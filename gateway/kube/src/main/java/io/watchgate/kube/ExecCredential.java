package io.watchgate.kube;

import io.watchgate.json.JsonException;
import io.watchgate.pem.PemException;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Credential that an exec plugin printed.
 *
 * @param expires time of its expiry; null: unknown, so treated as never
 */
record ExecCredential(RequestCredentials login, @Nullable Instant expires) {

  /**
   * Parses the output of a plugin.
   *
   * @throws IOException if it is invalid; the message names the defect, and quotes nothing that may
   *     be secret
   */
  static ExecCredential of(byte[] printed, ExecPlugin plugin) throws IOException {
    if (printed.length == 0) {
      throw plugin.error("it printed nothing to stdout, where an ExecCredential was expected");
    }
    JsonDocument document;
    try {
      document = JsonDocument.parse(printed, 0, printed.length);
    } catch (JsonException e) {
      throw plugin.error("what it printed to stdout is no JSON object");
    }
    if (!document.text("kind").equals("ExecCredential")) {
      throw plugin.error("what it printed to stdout is no ExecCredential");
    }
    String version = document.text("apiVersion");
    if (!version.equals(plugin.apiVersion())) {
      throw plugin.error(
          "its ExecCredential is of "
              + (version.startsWith(ExecPlugin.GROUP)
                  ? "apiVersion " + LogText.singleLine(version)
                  : "another apiVersion")
              + ", but the kubeconfig names "
              + plugin.apiVersion()
              + "; have the plugin's own tool write the entry again");
    }
    try {
      JsonDocument status = document.exactObject("status");
      return new ExecCredential(
          login(status, plugin), expires(status.exactText("expirationTimestamp"), plugin));
    } catch (JsonException e) {
      throw plugin.error("of its ExecCredential's status, " + e.getMessage());
    }
  }

  private static RequestCredentials login(JsonDocument status, ExecPlugin plugin)
      throws IOException, JsonException {
    String token = status.exactText("token");
    if (!TokenFileSource.wellFormed(token)) {
      throw plugin.error("its token holds white space or characters that no token has");
    }
    String certificate = status.exactText("clientCertificateData");
    String key = status.exactText("clientKeyData");
    if (certificate.isEmpty() != key.isEmpty()) {
      throw plugin.error(
          certificate.isEmpty()
              ? "it gave a clientKeyData without clientCertificateData"
              : "it gave a clientCertificateData without clientKeyData");
    }
    if (token.isEmpty() && key.isEmpty()) {
      throw plugin.error("it gave neither a token nor a client certificate");
    }
    try {
      return new RequestCredentials(
          token.isEmpty() ? "" : RequestCredentials.bearer(token).authorization(),
          key.isEmpty() ? null : TlsOptions.identity(certificate, key));
    } catch (PemException e) {
      throw plugin.error("its " + e.getMessage());
    }
  }

  private static @Nullable Instant expires(String time, ExecPlugin plugin) throws IOException {
    if (time.isEmpty()) {
      return null;
    }
    try {
      return OffsetDateTime.parse(time).toInstant();
    } catch (DateTimeParseException e) {
      throw plugin.error("its expirationTimestamp is not a time such as 2030-01-31T12:00:00Z");
    }
  }
}
