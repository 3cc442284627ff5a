package io.watchgate.bench;

import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApiClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One benchmark run. Creates the objects, opens the streams, writes, measures, waits for
 * outstanding deliveries and deletes the objects. {@link #run} is called once; {@link #stop} may be
 * called at any time, from any thread.
 */
public final class Bench {
  private static final Duration CATCH_UP_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration STOPPED_CATCH_UP_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration NO_PROGRESS_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration WARM_UP_WINDOW = Duration.ofSeconds(5);
  private static final long TICK_MILLIS = 1_000;
  private static final long POLL_MILLIS = 20;

  private final BenchPlan plan;
  private final ClientConfig apiserver;
  private final Subject subject;
  private final BenchObserver observer;
  private final ProcFiles files = new ProcFiles();
  private final RunClock clock = new RunClock();
  private final MeasurementWindow measurementWindow = new MeasurementWindow();
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Thread of a run that has nothing to report yet, null otherwise. */
  private @Nullable Thread preparing;

  /**
   * Server to measure.
   *
   * @param target address of the gateway; empty: the apiserver itself is measured
   * @param metrics URI of the server's metrics page
   * @param pid process ID, if the server runs on this machine
   * @param known further processes that belong to the run
   */
  public record Subject(
      Optional<BenchTarget> target, Optional<URI> metrics, OptionalLong pid, List<Long> known) {
    public Subject {
      known = List.copyOf(known);
    }
  }

  /**
   * Result of the warm-up.
   *
   * @param cores processors that the server used at the end of the warm-up, NaN if unknown
   * @param steadySeconds seconds until the cost per delivery was steady, NaN if that was not
   *     reached or not requested
   */
  private record WarmUp(double cores, double steadySeconds) {}

  /**
   * @param apiserver API to write to; the gateway reads from the same API
   */
  public Bench(BenchPlan plan, ClientConfig apiserver, Subject subject, BenchObserver observer) {
    this.plan = plan;
    this.apiserver = apiserver;
    this.subject = subject;
    this.observer = observer;
  }

  /**
   * Ends the current stage; {@link #run} then returns the results so far. Interrupts the creation
   * of objects and the opening of streams, which can take minutes.
   */
  public synchronized void stop() {
    stopped.countDown();
    if (preparing != null) {
      preparing.interrupt();
    }
  }

  /**
   * Begins the preparation, which a stop interrupts. Returns false if the run is already stopped.
   */
  private synchronized boolean beginPreparing() {
    preparing = Thread.currentThread();
    return !isStopped();
  }

  /**
   * Ends the preparation: from now on a stop does not interrupt this thread, which removes the
   * objects. Returns false if the run was stopped during the preparation.
   */
  private synchronized boolean endPreparing() {
    if (preparing == null) {
      return true;
    }
    preparing = null;
    if (isStopped()) {
      Thread.interrupted();
      return false;
    }
    return true;
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Runs the benchmark.
   *
   * @return empty if it was stopped before anything was measured
   * @throws BenchException if the run failed, or could not continue
   */
  public Optional<BenchResult> run() throws BenchException, InterruptedException {
    byte[] random = new byte[4];
    ThreadLocalRandom.current().nextBytes(random);
    String namespace = "watchgate-bench-" + HexFormat.of().formatHex(random);
    try (RawApiClient api = RawApiClient.of(apiserver, KubeSettings.DEFAULT)) {
      observer.step(
          "making %,d objects in namespace %s".formatted(plan.objects().count(), namespace));
      TestObjects objects = TestObjects.prepare(api, plan.objects(), namespace);
      try {
        return beginPreparing() ? measure(objects) : Optional.empty();
      } catch (InterruptedException | KubeException | IOException e) {
        if (endPreparing()) {
          throw e;
        }
        return Optional.empty(); // the stop is the cause
      } finally {
        endPreparing();
        observer.step("removing the namespace");
        objects.remove();
      }
    } catch (ConfigException | KubeException | IOException e) {
      throw new BenchException(String.valueOf(e.getMessage()), e);
    }
  }

  private Optional<BenchResult> measure(TestObjects objects)
      throws KubeException, IOException, BenchException, InterruptedException {
    String version = new ObjectCreator(objects).run();
    ReaderPlacement placement = ReaderPlacement.of(plan);
    @Nullable InFlightLimit window =
        plan.pace() instanceof BenchPlan.Pace.Unpaced(int size)
            ? new InFlightLimit(
                size, ReaderPlacement.awaited(placement.expected(plan), plan.objects().count()))
            : null;
    Writer writer = new Writer(objects, clock, plan.pace(), window);
    Fleet fleet = fleet(objects, placement, version, window);
    try (ServerProbe probe = new ServerProbe(subject.metrics(), subject.pid(), files)) {
      observer.step("opening %,d streams".formatted(plan.readers().streams()));
      long opening = clock.nanos();
      fleet.open();
      double openingSeconds = (clock.nanos() - opening) / 1e9;
      return measure(writer, fleet, probe, openingSeconds);
    } finally {
      fleet.close();
    }
  }

  private Optional<BenchResult> measure(
      Writer writer, Fleet fleet, ServerProbe probe, double openingSeconds)
      throws BenchException, IOException, InterruptedException {
    writer.start();
    UsageSample begin;
    UsageSample end;
    double backSeconds;
    JoinCost joins;
    WarmUp warm;
    try {
      // Otherwise the measured joins would be the first of a new process and include their
      // compilation.
      fleet.joinAndLeave();
      if (!awaitWithProgress("warming up", plan.times().warmUp(), writer, fleet)) {
        requireNoFailure(writer);
        return Optional.empty();
      }
      Optional<WarmUp> reached = awaitSteadyCost(writer, fleet, probe);
      if (reached.isEmpty()) {
        requireNoFailure(writer);
        return Optional.empty();
      }
      warm = reached.get();
      fleet.leave();
      awaitWithProgress(
          "some streams are closed for a while", plan.arrivals().away(), writer, fleet);
      begin = sampleUsage(writer, fleet, probe);
      measurementWindow.begin(begin.nanos());
      backSeconds = fleet.reopen(writer::lastRound);
      joins = JoinCost.measure(fleet, probe, warm.cores());
      if (!endPreparing()) {
        return Optional.empty();
      }
      awaitWithProgress("measuring", plan.times().duration(), writer, fleet);
      end = sampleUsage(writer, fleet, probe);
      measurementWindow.end(end.nanos());
    } finally {
      writer.stop();
    }
    requireNoFailure(writer);
    awaitOutstanding(writer, fleet);
    fleet.close();
    return Optional.of(
        BenchResult.of(
            begin,
            end,
            new BenchResult.Outcome(
                fleet.latencies(),
                fleet.losses(writer::lastRound),
                fleet.reconnects(),
                fleet.lastEnd()),
            warm.steadySeconds(),
            new BenchResult.Opening(
                openingSeconds, joins.seconds(), joins.cpuSeconds(), backSeconds),
            Runtime.getRuntime().availableProcessors()));
  }

  private static void requireNoFailure(Writer writer) throws BenchException {
    KubeException failure = writer.failure();
    if (failure != null) {
      throw new BenchException("the writer gave up: " + failure.getMessage(), failure);
    }
  }

  private Fleet fleet(
      TestObjects objects,
      ReaderPlacement placement,
      String version,
      @Nullable InFlightLimit window) {
    if (subject.target().isEmpty()) {
      return new DirectFleet(plan, objects, apiserver, version, clock, measurementWindow);
    }
    StreamRequests requests = new StreamRequests(plan, objects.namespace(), version);
    return new GrpcFleet(
        plan, placement, requests, subject.target().get(), clock, measurementWindow, window);
  }

  /** Waits and reports progress. Returns false if the run was stopped or the writer has failed. */
  private boolean awaitWithProgress(String stage, Duration time, Writer writer, Fleet fleet)
      throws InterruptedException {
    long begin = clock.nanos();
    long seen = fleet.counts().deliveries();
    long seenAt = begin;
    long left = time.toNanos();
    while (left > 0) {
      long tick = Math.min(left, TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS));
      if (stopped.await(tick, TimeUnit.NANOSECONDS) || writer.failure() != null) {
        return false;
      }
      long now = clock.nanos();
      long deliveries = fleet.counts().deliveries();
      observer.progress(
          stage,
          (now - begin) / 1e9,
          time.toNanos() / 1e9,
          (deliveries - seen) * 1e9 / (now - seenAt));
      seen = deliveries;
      seenAt = now;
      left = time.toNanos() - (now - begin);
    }
    return true;
  }

  /**
   * Waits window by window until the cost per delivery is steady, at most {@code steadyWithin}.
   *
   * @return empty if the run was stopped
   */
  private Optional<WarmUp> awaitSteadyCost(Writer writer, Fleet fleet, ServerProbe probe)
      throws InterruptedException {
    long begin = clock.nanos();
    WarmupDetector warmup = new WarmupDetector();
    List<Long> processes = new ArrayList<>(List.of(ProcessHandle.current().pid()));
    subject.pid().ifPresent(processes::add);
    JitCpuTime jitTime = new JitCpuTime(files, processes);
    UsageSample before = sampleUsage(writer, fleet, probe);
    double cores = Double.NaN;
    double steadySeconds = Double.NaN;
    while (clock.nanos() - begin < plan.times().steadyWithin().toNanos()) {
      if (!awaitWithProgress("becoming steady", WARM_UP_WINDOW, writer, fleet)) {
        return Optional.empty();
      }
      UsageSample after = sampleUsage(writer, fleet, probe);
      double cpuSeconds = after.server().cpuSeconds() - before.server().cpuSeconds();
      cores = cpuSeconds * 1e9 / (after.nanos() - before.nanos());
      double cost = cpuSeconds / (after.counts().deliveries() - before.counts().deliveries());
      if (warmup.addWindow(cost, jitTime.share())) {
        steadySeconds = (clock.nanos() - begin + plan.times().warmUp().toNanos()) / 1e9;
        break;
      }
      before = after;
    }
    return Optional.of(new WarmUp(cores, steadySeconds));
  }

  /**
   * Waits for outstanding deliveries. Late deliveries are no losses, so the wait ends early only
   * after 10 s without any delivery.
   */
  private void awaitOutstanding(Writer writer, Fleet fleet) throws InterruptedException {
    Duration atMost = isStopped() ? STOPPED_CATCH_UP_TIMEOUT : CATCH_UP_TIMEOUT;
    long end = clock.nanos() + atMost.toNanos();
    long seen = -1;
    long seenAt = clock.nanos();
    while (!fleet.isComplete(writer::lastRound) && clock.nanos() < end) {
      long deliveries = fleet.counts().deliveries();
      if (deliveries != seen) {
        seen = deliveries;
        seenAt = clock.nanos();
      } else if (clock.nanos() - seenAt > NO_PROGRESS_TIMEOUT.toNanos()) {
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private UsageSample sampleUsage(Writer writer, Fleet fleet, ServerProbe probe)
      throws InterruptedException {
    ServerUsage server = probe.sample();
    return new UsageSample(
        clock.nanos(),
        writer.written(),
        fleet.counts(),
        server,
        UsageSample.OwnSeconds.sample(),
        subject.known().stream().mapToDouble(files::processSeconds).sum(),
        files.machineSeconds());
  }
}
