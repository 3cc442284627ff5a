package io.watchgate.bench;

import io.grpc.Status;
import io.watchgate.bench.ReaderPlacement.Behavior;
import io.watchgate.bench.ReaderPlacement.PlacedReader;
import io.watchgate.bench.ReaderPlacement.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Readers that are connected to a gateway over gRPC. */
final class GrpcFleet implements Fleet {
  private final BenchPlan plan;
  private final ReaderPlacement placement;
  private final StreamRequests requests;
  private final BenchEventLoops loops;
  private final BenchEventLoops unreadLoops;

  /** Event loop of the streams that return, so that the other readers do not wait for them. */
  private final BenchEventLoops returningLoops;

  /**
   * Event loop of the readers that reconnect. It has idle priority, so that the CPU cost of these
   * clients on this machine delays no other reader.
   */
  private final BenchEventLoops reconnectingLoops;

  private final List<ReaderConnection> connections = new ArrayList<>();
  private final List<Reader> liveReaders = new ArrayList<>();
  private final List<ReturningReader> returningReaders = new ArrayList<>();
  private final LateReaders lateReaders;
  private final List<Reader> stalledReaders = new ArrayList<>();
  private final List<Reconnector> reconnectors = new ArrayList<>();
  private final RunClock clock;
  private final MeasurementWindow measurementWindow;
  private final AtomicLong ended = new AtomicLong();
  private volatile String lastEnd = "";

  /**
   * Creates the readers without connecting them.
   *
   * @param window limit for the writer; null if the writer does not wait for the readers
   */
  GrpcFleet(
      BenchPlan plan,
      ReaderPlacement placement,
      StreamRequests requests,
      BenchTarget target,
      RunClock clock,
      MeasurementWindow measurementWindow,
      @Nullable InFlightLimit window) {
    this.plan = plan;
    this.placement = placement;
    this.requests = requests;
    this.clock = clock;
    this.measurementWindow = measurementWindow;
    OptionalInt receive = plan.readers().receiveBytes();
    this.loops = new BenchEventLoops(target, receive, Runtime.getRuntime().availableProcessors());
    this.unreadLoops = new BenchEventLoops(target, receive, 1);
    this.returningLoops = new BenchEventLoops(target, receive, 1);
    this.reconnectingLoops = BenchEventLoops.idle(target, receive, 1);
    this.lateReaders = new LateReaders(plan, requests, loops, this::newLateConnection);
    int[][] expected = placement.expected(plan);
    for (int i = 0; i < expected.length; i++) {
      connections.add(
          new ReaderConnection(
              loops(i).channel(),
              new LatencyRecorder(clock, measurementWindow),
              new InFlightLimit.Share(expected[i], window),
              this::readerEnded));
    }
    for (PlacedReader placed : placement.readers()) {
      if (placed.behavior() == Behavior.RECONNECTS) {
        reconnectors.add(
            new Reconnector(
                reconnectingLoops,
                requests.of(placed.reader()),
                plan.expectedMatches(placed.reader()),
                plan,
                placed.reader(),
                clock,
                measurementWindow));
      }
    }
  }

  /** Returns the event loops that read a connection. */
  private BenchEventLoops loops(int connection) {
    return switch (placement.connections().get(connection)) {
      case READING -> loops;
      case UNREAD -> unreadLoops;
      case RETURNING -> returningLoops;
    };
  }

  private DeliveryTracker newTracker(PlacedReader placed) {
    DeliveryTracker tracker = new DeliveryTracker(plan.expectedMatches(placed.reader()));
    tracker.beginBeforeAllWrites();
    return tracker;
  }

  private void readerEnded(Status status) {
    lastEnd = status.getCode() + text(status);
    ended.incrementAndGet();
  }

  private static String text(Status status) {
    return status.getDescription() == null ? "" : ": " + status.getDescription();
  }

  @Override
  public void open() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + OPENING_TIMEOUT.toNanos();
    for (int i = 0; i < connections.size(); i++) {
      loops(i).connect(connections.get(i).channel(), deadline - System.nanoTime());
    }
    for (PlacedReader placed : placement.readers()) {
      switch (placed.behavior()) {
        case READS -> liveReaders.add(open(placed, Reader.Role.READS));
        case RETURNS ->
            returningReaders.add(new ReturningReader(placed, open(placed, Reader.Role.RETURNS)));
        case IDLES -> stalledReaders.add(open(placed, Reader.Role.IDLES));
        case UNREAD -> stalledReaders.add(open(placed, Reader.Role.READS));
        case RECONNECTS -> {}
      }
    }
    Reader.await(liveReaders, Reader::synced, deadline, "synced");
    Reader.await(stalledReaders, Reader::synced, deadline, "synced");
    Reader.await(
        returningReaders.stream().map(ReturningReader::reader).toList(),
        Reader::synced,
        deadline,
        "synced");
    if (ended.get() > 0) {
      throw new IOException(ended.get() + " streams were ended before Synced: " + lastEnd);
    }
    unreadLoops.stall();
    reconnectors.forEach(Reconnector::start);
  }

  /** Returns a new connection for late readers; the writer waits for none of them. */
  private ReaderConnection newLateConnection() {
    return new ReaderConnection(
        loops.channel(),
        new LatencyRecorder(clock, measurementWindow),
        new InFlightLimit.Share(new int[plan.objects().count()], null),
        this::readerEnded);
  }

  private Reader open(PlacedReader placed, Reader.Role role) {
    return connections
        .get(placed.connection())
        .open(role, newTracker(placed), requests.of(placed.reader()));
  }

  /** A reader that leaves and returns. */
  private record ReturningReader(PlacedReader placed, Reader reader) {}

  @Override
  public void leave() {
    returningReaders.forEach(returning -> returning.reader.close());
  }

  @Override
  public double reopen(IntUnaryOperator lastRound) throws IOException, InterruptedException {
    if (returningReaders.isEmpty()) {
      return Double.NaN;
    }
    int[] written = new int[plan.objects().count()];
    Arrays.setAll(written, lastRound);
    long begin = System.nanoTime();
    List<Reader> back = new ArrayList<>();
    for (ReturningReader returning : returningReaders) {
      Reader before = returning.reader;
      Reader reader =
          connections
              .get(returning.placed.connection())
              .open(
                  Reader.Role.READS,
                  before.tracker(),
                  requests.of(returning.placed.reader(), before.token()));
      back.add(reader);
    }
    liveReaders.addAll(back);
    Reader.await(back, Reader::live, begin + OPENING_TIMEOUT.toNanos(), "back");
    for (Reader reader : back) {
      while (!reader.tracker().isComplete(object -> written[object])
          && reader.endStatus() == null) {
        if (System.nanoTime() - begin > OPENING_TIMEOUT.toNanos()) {
          throw new IOException("streams that came back did not get all they missed in time");
        }
        Thread.sleep(1);
      }
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  @Override
  public double joinAndLeave() throws IOException, InterruptedException {
    double seconds = lateReaders.join();
    lateReaders.leave();
    return seconds;
  }

  @Override
  public double join() throws IOException, InterruptedException {
    double seconds = lateReaders.join();
    liveReaders.addAll(lateReaders.readers());
    return seconds;
  }

  @Override
  public DeliveryCounts counts() {
    DeliveryCounts sum = DeliveryCounts.NONE;
    for (LatencyRecorder recorder : recorders()) {
      sum = sum.plus(recorder.counts());
    }
    return sum;
  }

  /** Returns the recorders of the connections that are read. */
  private List<LatencyRecorder> recorders() {
    List<LatencyRecorder> recorders = recorders(EnumSet.of(Use.READING, Use.RETURNING));
    lateReaders.connections().forEach(connection -> recorders.add(connection.recorder()));
    return recorders;
  }

  private List<LatencyRecorder> recorders(Set<Use> uses) {
    List<LatencyRecorder> recorders = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      if (uses.contains(placement.connections().get(i))) {
        recorders.add(connections.get(i).recorder());
      }
    }
    return recorders;
  }

  /** Returns the number of streams that ended by themselves, of readers that do not stall. */
  private long endedStreams() {
    return Stream.concat(
            liveReaders.stream(), returningReaders.stream().map(ReturningReader::reader))
        .filter(reader -> reader.endStatus() != null)
        .count();
  }

  @Override
  public String lastEnd() {
    return lastEnd;
  }

  @Override
  public long reconnects() {
    return reconnectors.stream().mapToLong(Reconnector::attempts).sum();
  }

  @Override
  public boolean isComplete(IntUnaryOperator lastRound) {
    return liveReaders.stream()
        .allMatch(reader -> reader.endStatus() != null || reader.tracker().isComplete(lastRound));
  }

  @Override
  public void close() throws InterruptedException {
    reconnectors.forEach(Reconnector::close);
    List<ReaderConnection> all = new ArrayList<>(connections);
    all.addAll(lateReaders.connections());
    all.forEach(ReaderConnection::close);
    unreadLoops.resume(); // otherwise the termination of each stalled channel times out
    for (ReaderConnection connection : all) {
      connection.channel().awaitTermination(1, TimeUnit.SECONDS);
    }
    loops.shutdown();
    unreadLoops.shutdown();
    returningLoops.shutdown();
    reconnectingLoops.shutdown();
  }

  @Override
  public LossReport losses(IntUnaryOperator lastRound) {
    LossReport losses = new LossReport(0, 0, 0, 0, 0, endedStreams());
    for (Reader reader : liveReaders) {
      losses = losses.plus(reader.tracker().losses(lastRound));
    }
    return losses;
  }

  /**
   * Covers only the readers that were never away, because a reader that was away receives the
   * missed changes late by design.
   */
  @Override
  public LatencyHistogram latencies() {
    LatencyHistogram all = new LatencyHistogram();
    recorders(EnumSet.of(Use.READING)).forEach(recorder -> all.add(recorder.latencies()));
    return all;
  }
}
