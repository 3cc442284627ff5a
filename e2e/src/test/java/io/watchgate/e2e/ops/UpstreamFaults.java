package io.watchgate.e2e.ops;

import io.grpc.Channel;
import io.watchgate.cache.CacheSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.access.GatewayAccount;
import io.watchgate.e2e.access.Rule;
import io.watchgate.e2e.access.Type;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.e2e.proxy.Damage;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.kube.KubeSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Gateways whose apiserver, or whose account there, has a fault. */
final class UpstreamFaults {
  private final AtomicInteger tokens = new AtomicInteger();

  /** Long enough for a list between two changes of a definition. */
  private static final Duration RENEWAL = Duration.ofSeconds(2);

  private static final int RENEWALS = 40;

  private final FaultEnvironment environment;

  UpstreamFaults(FaultEnvironment environment) {
    this.environment = environment;
  }

  /** Returns the starts of the gateways. */
  List<FaultyGateway.Start> all() {
    return List.of(
        this::typeNotSynced,
        this::accessUnanswered,
        this::rolesUnwatched,
        this::apiserverStopped,
        this::relisting,
        this::stateDiffered,
        this::objectsSkipped);
  }

  private Path account(String name, List<Type> types, List<Rule> also) {
    return GatewayAccount.create(environment.apiserver(), environment.folder(), name, types, also)
        .kubeconfig();
  }

  private FaultyGateway typeNotSynced() {
    // A type that was never loaded is not proven current either: WatchgateStale after two minutes.
    FaultyGateway unsynced =
        new FaultyGateway("type-not-synced", "WatchgateTypeNotSynced")
            .accompaniedBy("WatchgateStale");
    Path kubeconfig = account("unsynced", List.of(Type.CONFIGMAPS), List.of());
    unsynced.scraped(unsynced.serve(kubeconfig, "--type", "configmaps", "--type", "secrets"));
    return unsynced;
  }

  private FaultyGateway accessUnanswered() {
    FaultyGateway unanswered = new FaultyGateway("access-unanswered", "WatchgateAccessUnanswered");
    List<Rule> roles =
        GatewayAccount.REVIEWS_AND_ROLES.stream()
            .filter(rule -> !GatewayAccount.REVIEWS.contains(rule))
            .toList();
    Path kubeconfig = account("unanswered", List.of(Type.CONFIGMAPS), roles);
    int port = unanswered.scraped(unanswered.serve(kubeconfig, "--token-review")).grpc();
    return unanswered.broken(() -> openWithUnknownTokens(unanswered, port));
  }

  private void openWithUnknownTokens(FaultyGateway at, int port) {
    Channel channel = at.connect(port);
    at.repeat(
        FaultEnvironment.PACE,
        () ->
            Subscriber.open(
                FaultyGateway.with(channel, "unknown" + tokens.incrementAndGet()),
                Requests.watch("configmaps", FaultEnvironment.NAMESPACE).build()));
  }

  private FaultyGateway rolesUnwatched() {
    FaultyGateway unwatched = new FaultyGateway("roles-unwatched", "WatchgateRolesUnwatched");
    Path kubeconfig = account("unwatched", List.of(Type.CONFIGMAPS), GatewayAccount.REVIEWS);
    unwatched.scraped(unwatched.serve(kubeconfig, "--token-review"));
    return unwatched;
  }

  private FaultyGateway apiserverStopped() {
    // WatchgateStale follows after two minutes.
    FaultyGateway stopped =
        new FaultyGateway(
                "apiserver-stopped",
                "WatchgateTypeNotSynced",
                "WatchgateAccessUnanswered",
                "WatchgateRolesUnwatched")
            .accompaniedBy("WatchgateStale");
    int port =
        stopped
            .scraped(
                stopped.serve(
                    environment.stoppable().kubeconfig(), "--type", "configmaps", "--token-review"))
            .grpc();
    return stopped.broken(
        () -> {
          environment.stoppable().kill();
          openWithUnknownTokens(stopped, port);
        });
  }

  private FaultyGateway relisting() {
    // A definition that changes again and again: the apiserver ends its watches with 410 Expired.
    FaultyGateway relisting = new FaultyGateway("relisting", "WatchgateRelisting");
    Widgets.install(environment.cluster());
    relisting.start(environment.kubeconfig(), GatewaySetup.AS_SERVED.opening("widgets"));
    AtomicInteger renewals = new AtomicInteger();
    return relisting.broken(
        () ->
            relisting.repeat(
                RENEWAL,
                () -> {
                  if (renewals.incrementAndGet() <= RENEWALS) {
                    Widgets.renew(environment.cluster());
                  }
                }));
  }

  private FaultyGateway stateDiffered() {
    // No apiserver loses changes, so a proxy drops one.
    FaultyGateway differed = new FaultyGateway("state-differed", "WatchgateStateDiffered");
    environment.cluster().create(Resource.CONFIGMAPS, FaultEnvironment.configMap("untold", "0"));
    AtomicBoolean drops = new AtomicBoolean();
    Damage.Edit edit =
        line ->
            line.contains("\"name\":\"untold\"") && drops.compareAndSet(true, false)
                ? List.of()
                : List.of(line);
    DamagingProxy proxy = differed.own(DamagingProxy.before(environment.apiserver()));
    for (int i = 0; i < 10; i++) { // the watch is the first answer, or a later one
      proxy.damage(
          new Damage.Edited(Damage.Aim.STREAMING_LIST, () -> edit),
          new Damage.Edited(Damage.Aim.WATCH, () -> edit));
    }
    CacheSettings cache = GatewaySetup.AS_SERVED.cache().withSelfCheckEvery(Duration.ofSeconds(1));
    differed.start(proxy.kubeconfig(), GatewaySetup.AS_SERVED.with(cache).opening("configmaps"));
    return differed.broken(
        () -> {
          drops.set(true);
          environment
              .cluster()
              .patch(
                  Resource.CONFIGMAPS,
                  FaultEnvironment.NAMESPACE,
                  "untold",
                  "{\"data\":{\"value\":\"1\"}}");
        });
  }

  private FaultyGateway objectsSkipped() {
    // An object above the limit; an apiserver stores none above the real limit.
    FaultyGateway skipped = new FaultyGateway("objects-skipped", "WatchgateObjectsSkipped");
    KubeSettings kube = GatewaySetup.AS_SERVED.kube().with(new KubeSettings.Sizes(500, 700_000));
    skipped.start(
        environment.kubeconfig(), GatewaySetup.AS_SERVED.with(kube).opening("configmaps"));
    return skipped.broken(
        () ->
            environment
                .cluster()
                .create(
                    Resource.CONFIGMAPS, FaultEnvironment.configMap("huge", "x".repeat(800_000))));
  }
}
