package io.watchgate.e2e;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.BackoffSettings;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.kube.KubeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Settings of a test's gateway.
 *
 * @param context of the kubeconfig; empty: its current context
 * @param clusterName empty: the uid of the cluster
 * @param types types opened at the start
 * @param balance empty: streams are not balanced
 */
public record GatewaySetup(
    String context,
    String clusterName,
    List<TypeReference> types,
    CacheSettings cache,
    KubeSettings kube,
    FanoutSettings fanout,
    Optional<BalanceSettings> balance) {
  /**
   * Settings of {@code watchgate serve}, but with a short retry interval for a lost apiserver, and
   * a long wait for types and versions: the gateways of many tests load their types at a time.
   */
  public static final GatewaySetup AS_SERVED =
      new GatewaySetup(
          "",
          "",
          List.of(),
          withBackoff(
              CacheSettings.forHeap(Runtime.getRuntime().maxMemory()),
              Duration.ofMillis(50),
              Duration.ofSeconds(1)),
          KubeSettings.DEFAULT,
          FanoutSettings.DEFAULTS.withPositionTimeout(Duration.ofSeconds(30)),
          Optional.empty());

  /** Settings with short waits, so that faults pass quickly. */
  public static final GatewaySetup QUICK =
      new GatewaySetup(
          "",
          "",
          List.of(),
          withBackoff(AS_SERVED.cache, Duration.ofMillis(20), Duration.ofMillis(200)),
          KubeSettings.DEFAULT
              .withRequestTimeout(Duration.ofSeconds(5))
              .with(new KubeSettings.Ages(Duration.ofSeconds(30), Duration.ofMillis(100))),
          new FanoutSettings(
              Duration.ofMillis(300),
              /* upstreamLookupTimeout= */ Duration.ofSeconds(30),
              /* loadTimeout= */ Duration.ofSeconds(30),
              Duration.ofSeconds(30),
              Duration.ofMinutes(30),
              FanoutSettings.DEFAULTS.limits()),
          Optional.empty());

  /** {@link #QUICK} with short waits: streams that need the apiserver are refused if it is away. */
  public static final GatewaySetup IMPATIENT =
      QUICK.with(
          new FanoutSettings(
              QUICK.fanout.positionTimeout(),
              /* upstreamLookupTimeout= */ Duration.ofSeconds(2),
              /* loadTimeout= */ Duration.ofSeconds(1),
              QUICK.fanout.backfillTimeout(),
              QUICK.fanout.streamAge(),
              QUICK.fanout.limits()));

  /** Returns a copy with other waits after failures. */
  public static CacheSettings withBackoff(CacheSettings cache, Duration base, Duration cap) {
    return cache.with(
        new BackoffSettings(
            base, cap, cache.retries().markerTimeout(), cache.retries().streamingListPause()));
  }

  public GatewaySetup with(CacheSettings changed) {
    return new GatewaySetup(context, clusterName, types, changed, kube, fanout, balance);
  }

  public GatewaySetup with(FanoutSettings changed) {
    return new GatewaySetup(context, clusterName, types, cache, kube, changed, balance);
  }

  public GatewaySetup with(KubeSettings changed) {
    return new GatewaySetup(context, clusterName, types, cache, changed, fanout, balance);
  }

  /**
   * Connects to the apiserver as a user who may not read namespaces, so that the cluster name is
   * set.
   */
  public GatewaySetup as(String user) {
    return new GatewaySetup(user, "a cluster of tests", types, cache, kube, fanout, balance);
  }

  /** Uses the name of another cluster. */
  public GatewaySetup ofCluster(String name) {
    return new GatewaySetup(context, name, types, cache, kube, fanout, balance);
  }

  /**
   * Opens types at the start: types of the core group, or types whose plural occurs in one group
   * only.
   */
  public GatewaySetup opening(String... resources) {
    List<TypeReference> named = new ArrayList<>();
    for (String resource : resources) {
      named.add(new TypeReference("", "", resource));
    }
    return new GatewaySetup(context, clusterName, named, cache, kube, fanout, balance);
  }

  /** Balances streams with other replicas of the same group, with a short interval. */
  public GatewaySetup balancing(BalanceSettings with) {
    return new GatewaySetup(context, clusterName, types, cache, kube, fanout, Optional.of(with));
  }
}
