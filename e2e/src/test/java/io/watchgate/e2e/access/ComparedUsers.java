package io.watchgate.e2e.access;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Users and objects of {@link AccessComparedTest}: users with groups, service accounts, nodes, and
 * users that imitate a node. The apiserver is restarted to load them.
 */
final class ComparedUsers {
  static final List<String> NAMESPACES = List.of("a", "b", "c");
  static final List<String> NAMES = List.of("n1", "n2", "n3");

  /** Audience of the apiserver, which its static tokens have. */
  static final String APISERVER_AUDIENCE = "https://kubernetes.default.svc";

  private static final Map<String, List<String>> USERS =
      new TreeMap<>(
          Map.of(
              "chief", List.of("system:masters"),
              "alice", List.of("developers"),
              "bob", List.of("developers", "testers"),
              "carol", List.of("testers"),
              "dave", List.of(),
              // A user without groups and without random grants.
              "erin", List.of(),
              "system:node:node-1", List.of("system:nodes"),
              "system:node:node-2", List.of("system:nodes"),
              // A node is identified by both its name and its group.
              "system:node:node-3", List.of(),
              "mallory", List.of("system:nodes")));

  private final Apiserver apiserver;
  private final Accounts accounts;
  private final List<Accounts.Account> residents = new ArrayList<>();

  private ComparedUsers(Apiserver apiserver) {
    this.apiserver = apiserver;
    this.accounts = new Accounts(apiserver.cluster());
  }

  static ComparedUsers create(Apiserver apiserver) {
    ComparedUsers users = new ComparedUsers(apiserver);
    apiserver.addUsers(
        USERS.entrySet().stream()
            .map(
                user ->
                    "%s,%s,uid-of-%s,\"%s\""
                        .formatted(
                            token(user.getKey()),
                            user.getKey(),
                            user.getKey(),
                            String.join(",", user.getValue())))
            .toList());
    NAMESPACES.forEach(users.accounts::namespace);
    for (String account : List.of("a/one", "a/two", "b/one", "c/one")) {
      String[] parts = account.split("/", -1);
      users.residents.add(users.accounts.create(parts[0], parts[1]));
    }
    users.furnish();
    return users;
  }

  private static String token(String user) {
    return "token-of-" + user.replace(':', '-');
  }

  /**
   * Creates the objects. Node 1 has a pod in namespace a, which reads the config map n1 and the
   * secret n2.
   */
  private void furnish() {
    Cluster admin = apiserver.cluster();
    Widgets.install(admin);
    for (String name : List.of("node-1", "node-2", "node-3")) {
      admin.create(
          Type.NODES.resource(),
          Json.parse(
              "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"}}"
                  .formatted(name)));
    }
    for (Type type : List.of(Type.CONFIGMAPS, Type.SECRETS)) {
      for (String name : NAMES) {
        admin.create(
            type.resource(),
            Json.parse(
                """
                {"apiVersion":"v1","kind":"%s","metadata":{"namespace":"a","name":"%s"}}
                """
                    .formatted(type.resource().kind(), name)));
      }
    }
    admin.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"a","name":"n1"},
             "spec":{"nodeName":"node-1","containers":[{"name":"c","image":"example/c:1"}],
              "volumes":[{"name":"v","configMap":{"name":"n1"}},
                         {"name":"w","secret":{"secretName":"n2"}}]}}
            """));
  }

  /**
   * Returns all possible subjects of grants: the users, their groups, and the groups of accounts.
   */
  List<Subject> subjects() {
    List<Subject> subjects = new ArrayList<>();
    for (String user : List.of("alice", "bob", "carol", "dave", "system:node:node-3", "mallory")) {
      subjects.add(Subject.user(user));
    }
    for (String group :
        List.of("developers", "testers", "system:serviceaccounts:a", "system:serviceaccounts")) {
      subjects.add(Subject.group(group));
    }
    residents.forEach(account -> subjects.add(account.subject()));
    return subjects;
  }

  /**
   * Returns all users, with tokens that the gateway reviews. Each has a separate connection:
   * closing all streams of one connection at once would look like an attack.
   */
  List<ComparedUser> comparedUsers(SecuredGateway secured) {
    List<ComparedUser> comparedUsers = new ArrayList<>();
    for (String user : USERS.keySet()) {
      comparedUsers.add(
          new ComparedUser(
              user,
              apiserver.clusterWith(token(user)),
              secured.kubeApi(token(user)),
              secured.apart(token(user))));
    }
    for (Accounts.Account account : residents) {
      String direct = accounts.directToken(account);
      comparedUsers.add(
          new ComparedUser(
              account.user(),
              apiserver.clusterWith(direct),
              secured.kubeApi(direct),
              secured.apart(accounts.gatewayToken(account))));
    }
    return comparedUsers;
  }
}
