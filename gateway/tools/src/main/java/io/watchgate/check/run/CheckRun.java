package io.watchgate.check.run;

import io.grpc.Channel;
import io.watchgate.check.CheckReport;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedMessage;
import io.watchgate.check.RecordedSignal;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.check.Validator;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApiClient;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One run of the check. Writes to an apiserver, watches the apiserver both directly and through a
 * gateway with many subscribers, and judges the messages of these subscribers. For one use; {@link
 * #stop} and {@link #endWrites} may be called from any thread, all other methods from one thread.
 */
public final class CheckRun {
  private static final int NAMESPACES = 3;
  private static final long PROGRESS_NANOS = 1_000_000_000L;

  /**
   * Maximum time that streams, and then the direct watch, may take after a stop. A process that is
   * to end waits 30 s for the run, whose namespaces have to be removed.
   */
  private static final Duration STOPPED_SETTLE_TIMEOUT = Duration.ofSeconds(8);

  private final CheckPlan plan;
  private final List<WatchedType> types;
  private final ClientConfig apiserver;
  private final List<Channel> gateways;
  private final CheckObserver observer;
  private final Random random;
  private final Map<WatchedType, TruthWatch> truthWatches = new EnumMap<>(WatchedType.class);
  private final Map<WatchedType, CheckedVersion> ends = new EnumMap<>(WatchedType.class);
  private final List<CheckSubscriber> subscribers = new ArrayList<>();
  private volatile boolean writesEnded;
  private volatile boolean stopped;

  /**
   * Creates a run without starting it.
   *
   * @param gateways connections to one gateway, or to several of the same cluster; each subscriber
   *     opens its streams at them round robin. The caller closes them
   */
  public CheckRun(
      CheckPlan plan,
      ClientConfig apiserver,
      List<? extends Channel> gateways,
      CheckObserver observer) {
    this.plan = plan;
    this.types = WatchedType.of(plan.names());
    this.apiserver = apiserver;
    this.gateways = List.copyOf(gateways);
    this.observer = observer;
    this.random = new Random(plan.seed());
  }

  /** Ends the writes before their time. Streams have the planned time to settle. */
  public void endWrites() {
    writesEnded = true;
  }

  /**
   * Ends the run for a process that is to end: no more writes, and a few seconds to settle instead
   * of the planned time. The messages received until then are judged.
   */
  public void stop() {
    stopped = true;
    endWrites();
  }

  /**
   * Runs the check, for slightly longer than the planned duration.
   *
   * @throws CheckException if the run failed
   */
  public CheckResult run() throws CheckException, InterruptedException {
    try (RawApiClient api = RawApiClient.of(apiserver, KubeSettings.DEFAULT)) {
      return run(api);
    } catch (ConfigException e) {
      throw new CheckException(String.valueOf(e.getMessage()));
    }
  }

  private CheckResult run(RawApiClient api) throws CheckException, InterruptedException {
    CheckPreflight.check(api, gateways, types);
    String own = suffix();
    List<String> namespaces =
        IntStream.range(0, NAMESPACES)
            .mapToObj(i -> "watchgate-check-%s-%d".formatted(own, i))
            .toList();
    WriteWorkload workload = new WriteWorkload(api, namespaces, types, plan.rate(), plan.seed());
    try {
      observer.step("preparing namespaces " + namespaces.getFirst() + " and so on");
      workload.prepare();
      for (WatchedType type : types) {
        TruthWatch truth =
            new TruthWatch(
                api, new ObjectStates(type, SubscriptionSpecs.PROJECTIONS), plan.clockSkew());
        truthWatches.put(type, truth);
        truth.start();
      }
      observer.prepared(namespaces);
      subscribe(namespaces);
      return run(workload);
    } catch (KubeException e) {
      throw new CheckException("the apiserver: " + e.getMessage());
    } finally {
      subscribers.forEach(CheckSubscriber::leave);
      truthWatches.values().forEach(TruthWatch::close);
      remove(workload);
    }
  }

  /** Returns a suffix that separates several runs on one cluster. */
  private String suffix() {
    return Long.toString(Math.floorMod(plan.seed() ^ System.nanoTime(), 100_000_000L), 36);
  }

  private void remove(WriteWorkload workload) {
    try {
      workload.remove();
    } catch (KubeException e) {
      observer.step("the namespaces of the run could not be removed: " + e.getMessage());
    }
  }

  private void subscribe(List<String> namespaces) {
    SubscriptionSpecs specs = new SubscriptionSpecs(namespaces, random);
    List<WatchServiceStub> stubs = gateways.stream().map(WatchServiceGrpc::newStub).toList();
    for (int i = 0; i < plan.subscribers(); i++) {
      CheckSubscriber subscriber =
          new CheckSubscriber(
              "subscriber %d of %s".formatted(i + 1, types.get(i % types.size()).plural()),
              specs.next(types.get(i % types.size())),
              stubs,
              i % stubs.size(),
              random);
      subscribers.add(subscriber);
      subscriber.start();
    }
  }

  private CheckResult run(WriteWorkload workload)
      throws CheckException, InterruptedException, KubeException {
    observer.step("writing, watching, leaving and coming back");
    ScenarioDriver driver = new ScenarioDriver(subscribers, random);
    observer.writesBegin();
    workload.start();
    try {
      driveSubscribers(driver, workload);
    } finally {
      workload.stop();
      observer.writesEnded();
    }
    if (driver.isOver()) {
      throw new CheckException("nothing was watched: " + String.join("; ", driver.refused()));
    }
    observer.step("waiting until all streams have reached the last write");
    for (WatchedType type : types) {
      ends.put(type, workload.writeLast(type));
    }
    List<String> unfinished =
        driver.settle(type -> ends.getOrDefault(type, CheckedVersion.NONE), settleTime());
    subscribers.forEach(CheckSubscriber::leave);
    observer.step("judging");
    return judge(workload, driver, unfinished);
  }

  /** Returns a condition that holds for the time to settle from now, which a stop shortens. */
  private BooleanSupplier settleTime() {
    long begin = System.nanoTime();
    long limit = plan.settleTimeout().toNanos();
    long afterStop = Math.min(limit, STOPPED_SETTLE_TIMEOUT.toNanos());
    return () -> System.nanoTime() - begin < (stopped ? afterStop : limit);
  }

  private void driveSubscribers(ScenarioDriver driver, WriteWorkload workload)
      throws InterruptedException {
    long start = System.nanoTime();
    long lastProgress = start;
    while (!writesEnded
        && !driver.isOver()
        && System.nanoTime() - start < plan.duration().toNanos()) {
      driver.runDueActions(workload::written);
      if (System.nanoTime() - lastProgress > PROGRESS_NANOS) {
        lastProgress = System.nanoTime();
        observer.progress(
            (lastProgress - start) / 1e9, plan.duration().toNanos() / 1e9, workload.writes());
      }
    }
  }

  private CheckResult judge(WriteWorkload workload, ScenarioDriver driver, List<String> unfinished)
      throws CheckException, InterruptedException {
    CheckReport report = CheckReport.NONE;
    List<Session> all = new ArrayList<>();
    BooleanSupplier hasTime = settleTime();
    for (WatchedType type : types) {
      TruthWatch truth = Objects.requireNonNull(truthWatches.get(type));
      boolean complete = truth.await(ends.getOrDefault(type, CheckedVersion.NONE), hasTime);
      if (!complete) {
        throw new CheckException(
            truth
                .failure()
                .orElse("the direct watch of the apiserver did not reach the last write"));
      }
      Set<CheckedVersion> unknown = truth.missingOf(workload.acknowledged(type));
      if (!unknown.isEmpty()) {
        throw new CheckException(
            "the direct watch of the apiserver did not report acknowledged writes of "
                + type.plural()
                + ", at versions "
                + unknown
                + "; nothing can be judged");
      }
      observer.truthRecorded(type.plural(), truth.truth());
      List<Session> sessions = sessions(type);
      report = report.plus(Validator.judge(truth.truth(), sessions));
      all.addAll(sessions);
    }
    return new CheckResult(
        plan,
        report,
        new CheckResult.Writes(workload.writes(), workload.failedWrites()),
        new CheckResult.Streams(
            all.size(),
            all.stream().filter(one -> one.request().start() instanceof StartSpec.AtToken).count(),
            driver.silentStreams(),
            ends(all)),
        new CheckResult.Messages(
            responses(all).mapToLong(one -> one.events().size()).sum(),
            count(all, RecordedSignal.Synced.class),
            count(all, RecordedSignal.NetEffectStarted.class),
            count(all, RecordedSignal.Bookmark.class)),
        all.stream().flatMap(one -> forcedSnapshot(one).stream()).toList(),
        new CheckResult.Unfinished(unfinished, driver.refused()));
  }

  private static long count(List<Session> sessions, Class<? extends RecordedSignal> signal) {
    return responses(sessions).filter(one -> signal.isInstance(one.signal())).count();
  }

  /**
   * Returns a description if the session had a token and the policy RESYNC, and still got a
   * snapshot.
   */
  private static Optional<String> forcedSnapshot(Session session) {
    return session.request().start() instanceof StartSpec.AtToken
            && session.request().policy() == Session.Policy.RESYNC
        ? responses(List.of(session))
            .map(RecordedMessage.Response::signal)
            .filter(CheckRun::isForced)
            .findFirst()
            .map(signal -> session + ", " + signal)
        : Optional.empty();
  }

  private static boolean isForced(RecordedSignal signal) {
    return signal instanceof RecordedSignal.SnapshotStarted started
        && started.reason() != RecordedSignal.SnapshotStarted.Reason.REQUESTED;
  }

  private List<Session> sessions(WatchedType type) {
    List<CheckSubscriber> own =
        subscribers.stream().filter(one -> one.spec().type() == type).toList();
    Optional<String> history =
        own.stream()
            .flatMap(one -> one.recorders().stream())
            .map(StreamRecorder::history)
            .filter(id -> !id.isEmpty())
            .findFirst();
    return own.stream().flatMap(one -> one.sessions(history.orElse("")).stream()).toList();
  }

  private static SortedMap<String, Long> ends(List<Session> sessions) {
    SortedMap<String, Long> ends = new TreeMap<>();
    for (Session session : sessions) {
      if (!session.messages().isEmpty()
          && session.messages().getLast() instanceof RecordedMessage.Ended end) {
        ends.merge((end.code() + " " + end.reason()).strip(), 1L, Long::sum);
      }
    }
    return ends;
  }

  private static Stream<RecordedMessage.Response> responses(List<Session> sessions) {
    return sessions.stream()
        .flatMap(session -> session.messages().stream())
        .filter(RecordedMessage.Response.class::isInstance)
        .map(RecordedMessage.Response.class::cast);
  }
}
