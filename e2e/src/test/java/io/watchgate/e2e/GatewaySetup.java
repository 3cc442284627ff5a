package io.watchgate.e2e;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.kube.KubeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What differs from one test to another of how its gateway is set up.
 *
 * @param context of the kubeconfig; empty: its current one
 * @param clusterName empty: the uid of the cluster
 * @param types opened at the start
 * @param balance empty: streams stay where they are
 */
public record GatewaySetup(
    String context,
    String clusterName,
    List<TypeReference> types,
    CacheSettings cache,
    KubeSettings kube,
    FanoutSettings feed,
    Optional<BalanceSettings> balance) {
  /** As {@code watchgate serve} has it, but that a lost apiserver is soon asked again. */
  public static final GatewaySetup AS_SERVED =
      new GatewaySetup(
          "",
          "",
          List.of(),
          CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
              .withBackoff(Duration.ofMillis(50), Duration.ofSeconds(1)),
          KubeSettings.DEFAULT,
          FanoutSettings.DEFAULTS,
          Optional.empty());

  /** With waits so short that faults pass quickly. */
  public static final GatewaySetup QUICK =
      new GatewaySetup(
          "",
          "",
          List.of(),
          AS_SERVED.cache.withBackoff(Duration.ofMillis(20), Duration.ofMillis(200)),
          KubeSettings.DEFAULT
              .withRequestTimeout(Duration.ofSeconds(5))
              .with(new KubeSettings.Ages(Duration.ofSeconds(30), Duration.ofMillis(100))),
          new FanoutSettings(
              Duration.ofMillis(300),
              Duration.ofSeconds(2),
              Duration.ofSeconds(1),
              Duration.ofSeconds(30),
              Duration.ofMinutes(30),
              FanoutSettings.DEFAULTS.limits()),
          Optional.empty());

  public GatewaySetup with(CacheSettings changed) {
    return new GatewaySetup(context, clusterName, types, changed, kube, feed, balance);
  }

  public GatewaySetup with(FanoutSettings changed) {
    return new GatewaySetup(context, clusterName, types, cache, kube, changed, balance);
  }

  public GatewaySetup with(KubeSettings changed) {
    return new GatewaySetup(context, clusterName, types, cache, changed, feed, balance);
  }

  /** Reaches the apiserver as a user who may not read namespaces, so that the cluster is named. */
  public GatewaySetup as(String user) {
    return new GatewaySetup(user, "a cluster of tests", types, cache, kube, feed, balance);
  }

  /** As it would be named if it stood before another cluster. */
  public GatewaySetup ofCluster(String name) {
    return new GatewaySetup(context, name, types, cache, kube, feed, balance);
  }

  /** Opens types of the core group, or that no other group has, at the start. */
  public GatewaySetup opening(String... resources) {
    List<TypeReference> named = new ArrayList<>();
    for (String resource : resources) {
      named.add(new TypeReference("", "", resource));
    }
    return new GatewaySetup(context, clusterName, named, cache, kube, feed, balance);
  }

  /** Shares its streams with others of the same group, and looks often. */
  public GatewaySetup balancing(BalanceSettings with) {
    return new GatewaySetup(context, clusterName, types, cache, kube, feed, Optional.of(with));
  }
}
