package io.watchgate.e2e.access;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Apiserver account of a gateway under test. It may read the served types and create reviews of
 * tokens and rights, and nothing else.
 *
 * @param kubeconfig credentials of the gateway
 */
public record GatewayAccount(Path kubeconfig) {
  /** Default audience of tokens for the gateway. */
  static final String AUDIENCE = "watchgate";

  /** Right to create reviews. */
  public static final List<Rule> REVIEWS =
      List.of(
          Rule.verbs("tokenreviews.authentication.k8s.io", "create"),
          Rule.verbs("subjectaccessreviews.authorization.k8s.io", "create"));

  /** Right to read roles and bindings, so that the gateway detects changes immediately. */
  static final List<Rule> ROLES =
      Stream.of("roles", "clusterroles", "rolebindings", "clusterrolebindings")
          .map(type -> Rule.watching(type + ".rbac.authorization.k8s.io"))
          .toList();

  /** Both. */
  public static final List<Rule> REVIEWS_AND_ROLES =
      Stream.concat(REVIEWS.stream(), ROLES.stream()).toList();

  /**
   * Creates the account, in its own namespace.
   *
   * @param types types that it may read
   * @param also further rules
   */
  public static GatewayAccount create(
      Apiserver apiserver, Path folder, String namespace, List<Type> types, List<Rule> also) {
    Cluster admin = apiserver.cluster();
    Accounts accounts = new Accounts(admin);
    Accounts.Account account = accounts.create(namespace, "gateway");
    List<Rule> rules = new ArrayList<>();
    types.forEach(type -> rules.add(Rule.watching(type.qualified())));
    rules.add(Rule.verbs("customresourcedefinitions.apiextensions.k8s.io", "get", "list"));
    rules.add(Rule.verbs("namespaces", "get").named("kube-system"));
    rules.addAll(also);
    Rights.Grant grant =
        new Rights(admin).everywhere(account.subject(), rules.toArray(new Rule[0]));
    String token = accounts.directToken(account);
    try (Cluster direct = apiserver.clusterWith(token)) {
      Rights.awaitAllowed(direct, types);
    }
    return new GatewayAccount(
        write(apiserver, folder.resolve(grant.name() + ".kubeconfig"), token));
  }

  private static Path write(Apiserver apiserver, Path file, String token) {
    try {
      String admins = Files.readString(apiserver.kubeconfig());
      return Files.writeString(
          file,
          admins
              .replaceFirst("token: \\S+", "token: " + token)
              .replaceAll(
                  "certificate-authority: (?!/)",
                  "certificate-authority: " + apiserver.kubeconfig().getParent() + "/"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
