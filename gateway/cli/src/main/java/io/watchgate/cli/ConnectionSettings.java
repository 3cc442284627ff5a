package io.watchgate.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import picocli.CommandLine.TypeConversionException;

/**
 * Address of a gateway, and the files of the credentials for it: what the options of a command
 * name, or a context. Holds no secret, only paths.
 *
 * @param servers replicas; none: not said
 * @param tls TLS with the authorities that Java trusts
 */
record ConnectionSettings(
    List<ServerAddress> servers,
    boolean tls,
    Optional<Path> tlsCa,
    Optional<Path> tlsClientCert,
    Optional<Path> tlsClientKey,
    Optional<String> tlsServerName,
    Optional<Path> bearerTokenFile,
    Optional<Path> kubeconfig,
    Optional<String> kubeContext) {
  static final ConnectionSettings NONE =
      new ConnectionSettings(
          List.of(),
          false,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|::1");

  private static final List<String> FIELDS =
      List.of(
          "server",
          "tls",
          "tls-ca",
          "tls-client-cert",
          "tls-client-key",
          "tls-server-name",
          "bearer-token-file",
          "kubeconfig",
          "kube-context");

  ConnectionSettings {
    servers = List.copyOf(servers);
  }

  /** Returns this connection, to one server. */
  ConnectionSettings at(ServerAddress server) {
    return new ConnectionSettings(
        List.of(server),
        tls,
        tlsCa,
        tlsClientCert,
        tlsClientKey,
        tlsServerName,
        bearerTokenFile,
        kubeconfig,
        kubeContext);
  }

  /**
   * Returns this connection, with the values of another one where this one has none. Credentials of
   * the other one are left out if this one has some. If only this connection has a kubeconfig, the
   * other one's kube context applies to it.
   */
  ConnectionSettings orElse(ConnectionSettings other) {
    ConnectionSettings rest = hasCredentials() ? other.withoutCredentials() : other;
    boolean sharesKubeconfig = kubeconfig.isPresent() && other.kubeconfig.isEmpty();
    return new ConnectionSettings(
        servers.isEmpty() ? rest.servers : servers,
        tls || rest.tls,
        tlsCa.or(rest::tlsCa),
        tlsClientCert.or(rest::tlsClientCert),
        tlsClientKey.or(rest::tlsClientKey),
        tlsServerName.or(rest::tlsServerName),
        bearerTokenFile.or(rest::bearerTokenFile),
        kubeconfig.or(rest::kubeconfig),
        kubeContext.or(sharesKubeconfig ? other::kubeContext : rest::kubeContext));
  }

  private boolean hasCredentials() {
    return bearerTokenFile.isPresent() || tlsClientCert.isPresent() || kubeconfig.isPresent();
  }

  /** Returns whether files of TLS or of credentials are named. */
  boolean namesFiles() {
    return tlsCa.isPresent() || hasCredentials();
  }

  private ConnectionSettings withoutCredentials() {
    return new ConnectionSettings(
        servers,
        tls,
        tlsCa,
        Optional.empty(),
        Optional.empty(),
        tlsServerName,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns the error of the first named file that does not exist; empty if all exist. */
  Optional<String> missingFile() {
    return missing("--tls-ca", tlsCa)
        .or(() -> missing("--tls-client-cert", tlsClientCert))
        .or(() -> missing("--tls-client-key", tlsClientKey))
        .or(() -> missing("--bearer-token-file", bearerTokenFile))
        .or(() -> missing("--kubeconfig", kubeconfig));
  }

  private static Optional<String> missing(String option, Optional<Path> path) {
    return path.filter(file -> !Files.exists(file))
        .map(file -> option + " " + file + ": there is no such file");
  }

  boolean usesTls() {
    return tls || tlsCa.isPresent();
  }

  /** Returns whether credentials cannot be read on the way to the gateway. */
  boolean isPrivate() {
    return usesTls() || servers.stream().allMatch(each -> LOOPBACK.matcher(each.host()).matches());
  }

  /** Returns the connection that environment variables name. */
  static ConnectionSettings ofEnvironment(Map<String, String> environment) {
    return new ConnectionSettings(
        servers(
            "WATCHGATE_SERVER",
            List.of(environment.getOrDefault("WATCHGATE_SERVER", "").split(","))),
        false,
        path(environment, "WATCHGATE_TLS_CA"),
        path(environment, "WATCHGATE_TLS_CLIENT_CERT"),
        path(environment, "WATCHGATE_TLS_CLIENT_KEY"),
        text(environment, "WATCHGATE_TLS_SERVER_NAME"),
        path(environment, "WATCHGATE_TOKEN_FILE"),
        path(environment, "WATCHGATE_KUBECONFIG"),
        text(environment, "WATCHGATE_KUBE_CONTEXT"));
  }

  private static Optional<String> text(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
  }

  private static Optional<Path> path(Map<String, String> environment, String name) {
    return text(environment, name).map(Path::of);
  }

  private static List<ServerAddress> servers(String location, List<String> texts) {
    List<ServerAddress> servers = new ArrayList<>();
    for (String text : texts) {
      if (!text.isBlank()) {
        try {
          servers.add(new ServerAddress.Converter().convert(text.strip()));
        } catch (TypeConversionException e) {
          throw new TypeConversionException(location + ": " + e.getMessage());
        }
      }
    }
    return servers;
  }

  /**
   * Returns the connection of a context.
   *
   * @param location location of the context, for errors
   * @throws TypeConversionException if a field is unknown or has a wrong value
   */
  static ConnectionSettings of(JsonObject json, String location) {
    for (String field : json.keySet()) {
      if (!FIELDS.contains(field)) {
        throw new TypeConversionException(
            location
                + ": there is no field '"
                + field
                + "'; known are "
                + String.join(", ", FIELDS));
      }
    }
    List<String> servers =
        switch (json.get("server")) {
          case null -> List.of();
          case JsonArray several ->
              StreamSupport.stream(several.spliterator(), false)
                  .map(one -> text(location, "server", one))
                  .toList();
          case JsonElement one -> List.of(text(location, "server", one));
        };
    if (servers.isEmpty()) {
      throw new TypeConversionException(location + " has no server");
    }
    return new ConnectionSettings(
        servers(location, servers),
        json.get("tls") instanceof JsonPrimitive tls && tls.getAsBoolean(),
        field(json, location, "tls-ca").map(Path::of),
        field(json, location, "tls-client-cert").map(Path::of),
        field(json, location, "tls-client-key").map(Path::of),
        field(json, location, "tls-server-name"),
        field(json, location, "bearer-token-file").map(Path::of),
        field(json, location, "kubeconfig").map(Path::of),
        field(json, location, "kube-context"));
  }

  private static Optional<String> field(JsonObject json, String location, String name) {
    return Optional.ofNullable(json.get(name)).map(value -> text(location, name, value));
  }

  private static String text(String location, String field, JsonElement value) {
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    throw new TypeConversionException(location + ": " + field + " is not text in quotation marks");
  }

  /** Returns the context's fields, with absolute paths. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    JsonArray all = new JsonArray();
    servers.forEach(server -> all.add(server.toString()));
    json.add("server", all);
    if (tls) {
      json.addProperty("tls", true);
    }
    add(json, "tls-ca", tlsCa);
    add(json, "tls-client-cert", tlsClientCert);
    add(json, "tls-client-key", tlsClientKey);
    tlsServerName.ifPresent(name -> json.addProperty("tls-server-name", name));
    add(json, "bearer-token-file", bearerTokenFile);
    add(json, "kubeconfig", kubeconfig);
    kubeContext.ifPresent(name -> json.addProperty("kube-context", name));
    return json;
  }

  private static void add(JsonObject json, String field, Optional<Path> path) {
    path.ifPresent(file -> json.addProperty(field, file.toAbsolutePath().normalize().toString()));
  }
}
