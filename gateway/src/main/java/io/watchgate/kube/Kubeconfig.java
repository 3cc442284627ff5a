package io.watchgate.kube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Reads from a kubeconfig how to reach a cluster, and as whom. */
public final class Kubeconfig {
  /** What would change who we are, or how we connect, if it were left out. */
  private static final Map<String, String> UNSUPPORTED_IN_USER =
      Map.of(
          "exec", "exec plugins are not supported",
          "auth-provider", "auth-provider is not supported",
          "username", "user name and password are not supported",
          "password", "user name and password are not supported",
          "as", "impersonation (as) is not supported",
          "as-uid", "impersonation (as-uid) is not supported",
          "as-groups", "impersonation (as-groups) is not supported",
          "as-user-extra", "impersonation (as-user-extra) is not supported");

  private final KubeconfigFile config;

  private Kubeconfig(KubeconfigFile config) {
    this.config = config;
  }

  /**
   * The access that a context of a file describes. Files that it refers to are read too.
   *
   * @param context empty for the file's current context
   */
  public static ClusterAccess load(Path file, String context) throws ConfigException {
    return new Kubeconfig(KubeconfigFile.read(file)).access(context);
  }

  private ClusterAccess access(String named) throws ConfigException {
    String name = named.isEmpty() ? config.currentContext() : named;
    String file = config.file().toString();
    if (name.isEmpty()) {
      throw new ConfigException(
          file
              + ": names no current-context; set one, or name one of its contexts with --context: "
              + names(config.contexts()));
    }
    ConfigSection context = config.contexts().get(name);
    if (context == null) {
      throw new ConfigException(
          file
              + ": has no context \""
              + name
              + "\""
              + (named.isEmpty() ? ", which is its current-context" : "")
              + "; it has "
              + names(config.contexts()));
    }
    String source = context.where();
    ConfigSection cluster =
        entry(config.clusters(), context, "cluster", context.required("cluster"));
    String userName = context.text("user");
    ConfigSection user =
        userName.isEmpty()
            ? new ConfigSection(file, Map.of())
            : entry(config.users(), context, "user", userName);
    HttpUrl server = server(cluster);
    Credentials credentials = credentials(user);
    if (!server.isHttps() && !(credentials instanceof Credentials.Anonymous) && !loopback(server)) {
      throw cluster.error(
          "server is plain http, over which the token of "
              + user.where()
              + " would be sent unprotected; use https");
    }
    return new ClusterAccess(
        source, server, tls(cluster, user), credentials, context.text("namespace"));
  }

  private static ConfigSection entry(
      Map<String, ConfigSection> entries, ConfigSection context, String kind, String name)
      throws ConfigException {
    ConfigSection entry = entries.get(name);
    if (entry == null) {
      throw context.error(
          "names "
              + kind
              + " \""
              + name
              + "\", which is not in the file; it has "
              + names(entries));
    }
    return entry;
  }

  private static String names(Map<String, ConfigSection> entries) {
    return entries.isEmpty() ? "none" : String.join(", ", entries.keySet());
  }

  private static HttpUrl server(ConfigSection cluster) throws ConfigException {
    String text = cluster.required("server");
    // Without a scheme kubectl assumes http; that is refused here rather than guessed.
    HttpUrl server = HttpUrl.parse(text);
    if (server == null) {
      throw cluster.error("server is not a URL such as https://10.0.0.1:6443");
    }
    if (!server.encodedUsername().isEmpty() || server.query() != null) {
      throw cluster.error("server must be scheme, host, port and path only");
    }
    if (cluster.has("proxy-url")) {
      throw cluster.error(
          "proxy-url is not supported; make the server reachable without it, for example by"
              + " `kubectl proxy` or a tunnel");
    }
    return server;
  }

  private static boolean loopback(HttpUrl server) {
    return server.host().equals("localhost")
        || server.host().startsWith("127.")
        || server.host().equals("::1");
  }

  private Credentials credentials(ConfigSection user) throws ConfigException {
    for (Map.Entry<String, String> unsupported : UNSUPPORTED_IN_USER.entrySet()) {
      if (user.has(unsupported.getKey())) {
        throw user.error(
            unsupported.getValue()
                + "; use a token, a tokenFile or a client certificate, for example the token of a"
                + " service account (kubectl create token)");
      }
    }
    String tokenFile = user.text("tokenFile");
    if (!tokenFile.isEmpty()) {
      Path path = path(tokenFile);
      try {
        BearerToken.read(path);
      } catch (IOException e) {
        throw user.error("tokenFile: " + e.getMessage());
      }
      return new Credentials.TokenFile(path);
    }
    String token = user.text("token");
    if (token.isEmpty()) {
      return new Credentials.Anonymous();
    }
    if (!BearerToken.wellFormed(token)) {
      throw user.error("token holds white space or characters that no token has");
    }
    return new Credentials.Token(token);
  }

  private Tls tls(ConfigSection cluster, ConfigSection user) throws ConfigException {
    byte[] authority = content(cluster, "certificate-authority");
    boolean skip = cluster.flag("insecure-skip-tls-verify");
    if (skip && authority != null) {
      throw cluster.error(
          "has both insecure-skip-tls-verify and a certificate-authority; remove one of them");
    }
    List<X509Certificate> authorities = List.of();
    if (authority != null) {
      try {
        authorities = Pem.certificates(authority);
      } catch (PemException e) {
        throw cluster.error("certificate-authority " + e.getMessage());
      }
    }
    return new Tls(
        skip ? Tls.Verification.SKIPPED : Tls.Verification.FULL,
        authorities,
        cluster.text("tls-server-name"),
        identity(user));
  }

  private Tls.@Nullable Identity identity(ConfigSection user) throws ConfigException {
    byte[] certificate = content(user, "client-certificate");
    byte[] key = content(user, "client-key");
    if (certificate == null && key == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw user.error(
          certificate == null
              ? "has a client-key without client-certificate"
              : "has a client-certificate without client-key");
    }
    List<X509Certificate> chain;
    try {
      chain = Pem.certificates(certificate);
    } catch (PemException e) {
      throw user.error("client-certificate " + e.getMessage());
    }
    PrivateKey privateKey;
    try {
      privateKey = Pem.privateKey(key);
    } catch (PemException e) {
      throw user.error("client-key " + e.getMessage());
    }
    if (!Pem.belongTogether(chain.getFirst(), privateKey)) {
      throw user.error("client-key is not the key of client-certificate");
    }
    return new Tls.Identity(chain, privateKey);
  }

  /** Inline data wins over a file, as in kubectl. */
  private byte @Nullable [] content(ConfigSection section, String key) throws ConfigException {
    String data = section.text(key + "-data");
    if (!data.isEmpty()) {
      try {
        return Base64.getDecoder().decode(data.replaceAll("\\s", ""));
      } catch (IllegalArgumentException e) {
        throw section.error(key + "-data is not base64");
      }
    }
    String file = section.text(key);
    if (file.isEmpty()) {
      return null;
    }
    Path path = path(file);
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw section.error(key + ": cannot read " + path + ": " + FileErrors.reason(e));
    }
  }

  private Path path(String text) {
    return config.file().toAbsolutePath().resolveSibling(text).normalize();
  }
}
