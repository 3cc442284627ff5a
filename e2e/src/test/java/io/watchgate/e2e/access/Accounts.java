package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.List;

/** Service accounts and their tokens, made as admin. */
final class Accounts {
  private static final Resource ACCOUNTS =
      new Resource("", "v1", "serviceaccounts", "ServiceAccount");

  /** The shortest that a TokenRequest grants is ten minutes; this outlasts any test. */
  private static final Duration LONG = Duration.ofHours(2);

  private final Cluster admin;

  Accounts(Cluster admin) {
    this.admin = admin;
  }

  /** One service account. */
  record Account(String namespace, String name, String uid) {
    /** As the apiserver calls it. */
    String user() {
      return "system:serviceaccount:" + namespace + ":" + name;
    }

    Subject subject() {
      return Subject.account(namespace, name);
    }
  }

  /** Makes one, and its namespace if that is not there. */
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

  /** Makes a namespace if it is not there. */
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

  /** For a gateway. */
  String gatewayToken(Account account) {
    return token(account, Servant.AUDIENCE);
  }

  /** For the apiserver itself. */
  String directToken(Account account) {
    return token(account);
  }

  /** Without audiences it is one for the apiserver. */
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
