package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.List;

/** Service accounts and their tokens, created as admin. */
final class Accounts {
  private static final Resource ACCOUNTS =
      new Resource("", "v1", "serviceaccounts", "ServiceAccount");

  /**
   * Validity of tokens. The minimum of a TokenRequest is ten minutes; this is longer than any test.
   */
  private static final Duration LONG = Duration.ofHours(2);

  private final Cluster admin;

  Accounts(Cluster admin) {
    this.admin = admin;
  }

  /** One service account. */
  record Account(String namespace, String name, String uid) {
    /** Returns the user name of the account at the apiserver. */
    String user() {
      return "system:serviceaccount:" + namespace + ":" + name;
    }

    Subject subject() {
      return Subject.account(namespace, name);
    }
  }

  /** Creates an account, and its namespace if it is missing. */
  Account create(String namespace, String name) {
    namespace(namespace);
    String uid =
        admin
            .create(
                ACCOUNTS,
                Json.parse(
                    """
                    {"apiVersion":"v1","kind":"ServiceAccount",
                     "metadata":{"namespace":"%s","name":"%s"}}
                    """
                        .formatted(namespace, name)))
            .at("/metadata/uid")
            .textValue();
    return new Account(namespace, name, uid);
  }

  /** Creates a namespace if it is missing. */
  void namespace(String name) {
    try {
      admin.createNamespace(name);
    } catch (KubeException e) {
      if (e.code() != 409) {
        throw e;
      }
    }
  }

  void delete(Account account) {
    admin.delete(ACCOUNTS, account.namespace(), account.name());
  }

  /** Returns a token for a gateway. */
  String gatewayToken(Account account) {
    return token(account, GatewayAccount.AUDIENCE);
  }

  /** Returns a token for the apiserver. */
  String directToken(Account account) {
    return token(account);
  }

  /** Returns a token; without audiences it is for the apiserver. */
  String token(Account account, String... audiences) {
    var request = Json.object();
    request.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
    request.withObject("/metadata").put("namespace", account.namespace());
    request.withObject("/spec").put("expirationSeconds", LONG.toSeconds());
    List.of(audiences).forEach(request.withArray("/spec/audiences")::add);
    Resource type =
        new Resource("", "v1", "serviceaccounts/" + account.name() + "/token", "TokenRequest");
    return admin.create(type, request).at("/status/token").textValue();
  }
}
