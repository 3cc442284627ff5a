package io.watchgate.kube;

import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** User entry of a kubeconfig. */
record KubeconfigUser(
    UserCredentials credentials,
    TlsOptions.@Nullable IdentitySource identity,
    Impersonation impersonation) {

  static KubeconfigUser of(
      KubeconfigSection user, KubeconfigSection clusterSection, KubeconfigCluster cluster)
      throws ConfigException {
    if (user.has("auth-provider")) {
      throw user.error(
          "auth-provider is not supported, nor is it by kubectl since 1.26; use an exec plugin, for"
              + " example gke-gcloud-auth-plugin, kubelogin or kubectl oidc-login, or the token of"
              + " a service account (kubectl create token)");
    }
    UserCredentials credentials = credentials(user);
    TlsOptions.IdentitySource identity = identity(user);
    // Credentials without a program take precedence, as in kubectl.
    if (user.has("exec") && credentials instanceof UserCredentials.Anonymous && identity == null) {
      credentials = new UserCredentials.Plugin(ExecPlugin.of(user, clusterSection, cluster));
    }
    return new KubeconfigUser(credentials, identity, Impersonation.of(user));
  }

  private static UserCredentials credentials(KubeconfigSection user) throws ConfigException {
    String name = user.text("username");
    String password = user.text("password");
    boolean token = user.has("token") || user.has("tokenFile");
    if (name.isEmpty() && !password.isEmpty()) {
      throw user.error("has a password without username");
    }
    if (!name.isEmpty() && token) {
      throw user.error("has both a token and a username; remove one of them");
    }
    if (!name.isEmpty()) {
      if (name.contains(":") || !(name + password).chars().allMatch(c -> c >= ' ' && c != 0x7f)) {
        throw user.error("username or password holds characters that cannot be sent");
      }
      return new UserCredentials.Password(name, password);
    }
    return token ? token(user) : new UserCredentials.Anonymous();
  }

  private static UserCredentials token(KubeconfigSection user) throws ConfigException {
    String tokenFile = user.text("tokenFile");
    String token = user.text("token").strip();
    if (!tokenFile.isEmpty()) {
      Path path = user.path(tokenFile);
      try {
        TokenFileSource.read(path);
        return new UserCredentials.TokenFile(path);
      } catch (IOException e) {
        if (token.isEmpty()) {
          throw user.error("tokenFile: " + e.getMessage());
        } // else the token will do, as in kubectl
      }
    }
    if (token.isEmpty() || !TokenFileSource.wellFormed(token)) {
      throw user.error("token holds white space or characters that no token has");
    }
    return new UserCredentials.Token(token);
  }

  private static TlsOptions.@Nullable IdentitySource identity(KubeconfigSection user)
      throws ConfigException {
    PemSource certificate = user.pem("client-certificate");
    PemSource key = user.pem("client-key");
    if (certificate == null && key == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw user.error(
          certificate == null
              ? "has a client-key without client-certificate"
              : "has a client-certificate without client-key");
    }
    String chain = read(user, "client-certificate", certificate);
    String privateKey = read(user, "client-key", key);
    try {
      var _ = TlsOptions.identity(chain, privateKey);
    } catch (PemException e) {
      throw user.error(String.valueOf(e.getMessage()));
    }
    return new TlsOptions.IdentitySource(certificate, key);
  }

  private static String read(KubeconfigSection user, String key, PemSource source)
      throws ConfigException {
    try {
      return source.read();
    } catch (IOException e) {
      throw user.error(key + ": " + e.getMessage());
    }
  }
}
