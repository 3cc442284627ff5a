package io.watchgate.server;

import io.watchgate.auth.AccessController;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.grpc.ServerTls;
import io.watchgate.kube.AccessRight;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.OwnAccessClient;
import io.watchgate.server.RightsScope.Need;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Check of the rights that a gateway needs at the apiserver with given settings, and of its files.
 * Thread-safe.
 */
public final class Preflight implements AutoCloseable {
  /** Maximum number of concurrent reviews. */
  private static final int CONCURRENT_REVIEWS = 8;

  private static final String RBAC = "rbac.authorization.k8s.io";

  private final RightsScope scope;
  private final KubeCluster cluster;
  private final OwnAccessClient client;

  /** Outcome of the check. */
  public sealed interface Result {}

  /**
   * The apiserver has answered.
   *
   * @param account user name of the gateway's account; empty if the apiserver does not say
   * @param missing rights that the account lacks; empty if it has all
   * @param unknownTypes sentences about types of {@code --type} that the apiserver does not serve
   */
  public record Answered(
      Optional<String> account, List<RequiredRights> missing, List<String> unknownTypes)
      implements Result {
    public Answered {
      missing = List.copyOf(missing);
      unknownTypes = List.copyOf(unknownTypes);
    }
  }

  /**
   * The rights are unknown.
   *
   * @param reason a sentence that says what happened and what to do
   */
  public record Unanswered(String reason) implements Result {}

  private Preflight(RightsScope scope, KubeCluster cluster, OwnAccessClient client) {
    this.scope = scope;
    this.cluster = cluster;
    this.client = client;
  }

  /**
   * Creates a check, without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static Preflight of(ClientConfig access, GatewaySettings settings) throws ConfigException {
    return of(access, settings.kube(), RightsScope.of(settings));
  }

  /**
   * Creates a check without the settings of a gateway, and without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static Preflight of(ClientConfig access, KubeSettings kube, RightsScope scope)
      throws ConfigException {
    return new Preflight(
        scope, KubeCluster.of(access, kube, System::nanoTime), OwnAccessClient.of(access, kube));
  }

  /**
   * Reads the files of certificates, authorities and tokens that the settings name, as the start of
   * a gateway does.
   *
   * @throws IOException which names the unusable file and the cause
   */
  public static void checkFiles(GatewaySettings settings) throws IOException {
    if (settings.tls().isPresent()) {
      var _ = new ServerTls(settings.tls().get());
    }
    AccessController.checkTokenFile(settings.access().auth());
    if (settings.kubeApi().flatMap(KubeApiSettings::clients).orElse(null)
        instanceof ClientAuthoritySource.InFile(var file)) {
      var _ = ClientAuthorities.of(file);
    }
  }

  /** Asks the apiserver for every right. Blocks, at most for the timeouts of the requests. */
  public Result check() throws InterruptedException {
    try (ExecutorService workers =
        Executors.newFixedThreadPool(
            CONCURRENT_REVIEWS, Thread.ofPlatform().daemon().name("preflight-", 0).factory())) {
      try {
        List<RequiredRights> discovery = missing(workers, List.of(discovery()));
        List<RequiredRights> required = new ArrayList<>();
        List<String> unknownTypes = new ArrayList<>();
        for (TypeReference type : scope.types()) {
          Optional<UpstreamFailure> failure = addType(type, required, unknownTypes);
          if (failure.isPresent()) {
            return new Unanswered(reason(failure.get()));
          }
        }
        addOthers(required);
        List<RequiredRights> all = new ArrayList<>(discovery);
        all.addAll(missing(workers, required));
        return new Answered(userName(), all, unknownTypes);
      } catch (KubeException e) {
        return new Unanswered(reason(e.failure()));
      } finally {
        workers.shutdownNow();
      }
    }
  }

  /** Without a name, the rights are known all the same. */
  private Optional<String> userName() {
    try {
      return client.userName();
    } catch (KubeException e) {
      return Optional.empty();
    }
  }

  private static RequiredRights discovery() {
    return new RequiredRights(
        "discovery of the types that the apiserver serves (always)",
        List.of(new AccessRight.OnPath("/api", "get"), new AccessRight.OnPath("/apis", "get")));
  }

  /** Adds the rights on a type. Returns the failure if the type cannot be looked up. */
  private Optional<UpstreamFailure> addType(
      TypeReference type, List<RequiredRights> required, List<String> unknown)
      throws InterruptedException {
    String group = type.group();
    String plural = type.resource().toLowerCase(Locale.ROOT);
    switch (cluster.resolve(type)) {
      case Cluster.Found(var definition) -> {
        group = definition.type().group();
        plural = definition.type().resource();
      }
      case Cluster.Unknown(var near) -> {
        unknown.add(
            "the apiserver has no type "
                + type
                + (near.isEmpty() ? "" : "; near: " + String.join(", ", near)));
        return Optional.empty();
      }
      case Cluster.Unavailable(var failure) -> {
        // Without the right to discovery, which is reported as well, the name as given is usually
        // the plural. After any other failure it may be a short name or a typing error.
        if (!(failure instanceof UpstreamFailure.Forbidden)) {
          return Optional.of(failure);
        }
      }
    }
    required.add(
        RequiredRights.onType(
            "objects of the type (--type " + type + ")", group, plural, "list", "watch"));
    return Optional.empty();
  }

  private void addOthers(List<RequiredRights> required) {
    required.add(
        RequiredRights.onType(
            "uid and selectable fields of custom resources (always)",
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "get",
            "list"));
    if (scope.needs().contains(Need.CLUSTER_UID)) {
      required.add(
          RequiredRights.onObject(
              "identity of the cluster (unless --cluster-name is given)",
              "",
              "namespaces",
              "",
              "kube-system",
              "get"));
    }
    if (scope.needs().contains(Need.CLIENT_AUTHORITIES)) {
      required.add(
          RequiredRights.onObject(
              "CAs of client certificates (--kube-client-ca cluster)",
              "",
              "configmaps",
              "kube-system",
              ClientAuthorities.CONFIG_MAP,
              "get"));
    }
    if (scope.needs().contains(Need.TOKEN_REVIEW)) {
      required.add(
          RequiredRights.onType(
              "tokens of callers (--token-review)",
              "authentication.k8s.io",
              "tokenreviews",
              "create"));
    }
    if (scope.needs().contains(Need.ACCESS_REVIEW)) {
      required.add(
          RequiredRights.onType(
              "rights of callers (--authorization kubernetes)",
              "authorization.k8s.io",
              "subjectaccessreviews",
              "create"));
      for (String type : List.of("roles", "rolebindings", "clusterroles", "clusterrolebindings")) {
        required.add(
            RequiredRights.onType(
                "end of streams soon after a right is revoked (--authorization kubernetes)",
                RBAC,
                type,
                "list",
                "watch"));
      }
    }
    scope
        .leases()
        .ifPresent(
            namespace ->
                required.add(
                    RequiredRights.onObject(
                        "numbers of streams of the replicas (--balance)",
                        "coordination.k8s.io",
                        "leases",
                        namespace,
                        "",
                        "list",
                        "create",
                        "patch",
                        "delete")));
  }

  /** Returns the given rights without those that the account has. */
  private List<RequiredRights> missing(ExecutorService workers, List<RequiredRights> required)
      throws KubeException, InterruptedException {
    List<List<Future<Boolean>>> answers =
        required.stream()
            .map(
                one ->
                    one.rights().stream()
                        .map(right -> workers.submit(() -> client.has(right)))
                        .toList())
            .toList();
    List<RequiredRights> missing = new ArrayList<>();
    for (int i = 0; i < required.size(); i++) {
      RequiredRights one = required.get(i);
      List<AccessRight> missingRights = new ArrayList<>();
      for (int j = 0; j < one.rights().size(); j++) {
        if (!answer(answers.get(i).get(j))) {
          missingRights.add(one.rights().get(j));
        }
      }
      if (!missingRights.isEmpty()) {
        missing.add(new RequiredRights(one.reason(), missingRights));
      }
    }
    return missing;
  }

  private static boolean answer(Future<Boolean> future) throws KubeException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KubeException failed) {
        throw failed;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static String reason(UpstreamFailure failure) {
    return switch (failure) {
      case UpstreamFailure.TypeGone _ ->
          "the apiserver has no SelfSubjectAccessReview of authorization.k8s.io/v1, as a sandbox"
              + " has none; rights cannot be checked there ("
              + failure.message()
              + ")";
      case UpstreamFailure.Unauthorized _ ->
          "the apiserver refused the credentials; renew the credentials with which the gateway"
              + " calls it ("
              + failure.message()
              + ")";
      case UpstreamFailure.Forbidden _ ->
          "the account may not ask for its own rights; grant it the ClusterRole"
              + " system:basic-user ("
              + failure.message()
              + ")";
      case UpstreamFailure.Transport _ ->
          "the apiserver cannot be reached; check its address and that it runs ("
              + failure.message()
              + ")";
      default -> "the apiserver did not say which rights the account has: " + failure.message();
    };
  }

  @Override
  public void close() {
    client.close();
    cluster.close();
  }
}
