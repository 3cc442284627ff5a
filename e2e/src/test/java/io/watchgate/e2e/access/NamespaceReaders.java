package io.watchgate.e2e.access;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.kube.Cluster;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Service accounts that may watch config maps in a namespace, each created for one test. Each
 * account has its own namespace, so it is the only member of one of its groups.
 */
final class NamespaceReaders {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Apiserver apiserver;
  private final Accounts accounts;
  private final Rights rights;

  NamespaceReaders(Apiserver apiserver) {
    this.apiserver = apiserver;
    this.accounts = new Accounts(apiserver.cluster());
    this.rights = new Rights(apiserver.cluster());
  }

  /** Subject of the grant by which an account is admitted. */
  enum By {
    ROLE,
    CLUSTER_ROLE,
    CLUSTER_ROLE_IN_NAMESPACE,
    ROLE_OF_A_GROUP
  }

  /** Account with its grant. */
  record Reader(Accounts.Account account, Rights.Grant grant) {}

  /** Creates a namespace whose name begins with {@code about}. */
  String namespace(String about) {
    String name = about + "-" + COUNT.incrementAndGet();
    accounts.namespace(name);
    return name;
  }

  /** Creates an account with rights. Returns once the apiserver admits it. */
  Reader create(String namespace, By by) {
    Accounts.Account account = accounts.create(namespace("home"), "reader");
    Rule rule = Rule.watching("configmaps");
    Subject to = account.subject();
    Rights.Grant grant =
        switch (by) {
          case ROLE -> rights.in(namespace, to, rule);
          case CLUSTER_ROLE -> rights.everywhere(to, rule);
          case CLUSTER_ROLE_IN_NAMESPACE -> rights.wideRoleIn(namespace, to, rule);
          case ROLE_OF_A_GROUP ->
              rights.in(
                  namespace, Subject.group("system:serviceaccounts:" + account.namespace()), rule);
        };
    try (Cluster direct = apiserver.clusterWith(accounts.directToken(account))) {
      Rights.awaitAnswer(direct, Type.CONFIGMAPS, namespace, 200);
    }
    return new Reader(account, grant);
  }

  Reader create(String namespace) {
    return create(namespace, By.ROLE);
  }

  Rights rights() {
    return rights;
  }

  Accounts accounts() {
    return accounts;
  }
}
