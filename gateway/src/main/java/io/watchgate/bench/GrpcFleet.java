package io.watchgate.bench;

import io.grpc.Status;
import io.watchgate.bench.ReaderPlacement.Conduct;
import io.watchgate.bench.ReaderPlacement.Seat;
import io.watchgate.bench.ReaderPlacement.Use;
import java.io.IOException;
import java.time.Duration;
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
  private final ReaderPlacement layout;
  private final StreamRequests requests;
  private final BenchEventLoops loops;
  private final BenchEventLoops unread;

  /** Event loop of the streams that return, so that the other readers do not wait for them. */
  private final BenchEventLoops visitors;

  /**
   * Event loop of the readers that reconnect. It has idle priority, so that the CPU cost of these
   * clients on this machine delays no other reader.
   */
  private final BenchEventLoops reconnecting;

  private final List<ReaderConnection> connections = new ArrayList<>();
  private final List<Reader> following = new ArrayList<>();
  private final List<Traveller> travellers = new ArrayList<>();
  private final LateReaders joiners;
  private final List<Reader> others = new ArrayList<>();
  private final List<Reconnector> reconnectors = new ArrayList<>();
  private final RunClock clock;
  private final MeasurementWindow span;
  private final AtomicLong ended = new AtomicLong();
  private volatile String lastEnd = "";

  /**
   * Creates the readers without connecting them.
   *
   * @param window limit for the writer; null if the writer does not wait for the readers
   */
  GrpcFleet(
      BenchPlan plan,
      ReaderPlacement layout,
      StreamRequests requests,
      BenchTarget target,
      RunClock clock,
      MeasurementWindow span,
      @Nullable InFlightLimit window) {
    this.plan = plan;
    this.layout = layout;
    this.requests = requests;
    this.clock = clock;
    this.span = span;
    OptionalInt receive = plan.readers().receiveBytes();
    this.loops = new BenchEventLoops(target, receive, Runtime.getRuntime().availableProcessors());
    this.unread = new BenchEventLoops(target, receive, 1);
    this.visitors = new BenchEventLoops(target, receive, 1);
    this.reconnecting = BenchEventLoops.idle(target, receive, 1);
    this.joiners = new LateReaders(plan, requests, loops, this::joining);
    int[][] expected = layout.expected(plan);
    for (int i = 0; i < expected.length; i++) {
      connections.add(
          new ReaderConnection(
              loops(i).channel(),
              new LatencyRecorder(clock, span),
              new InFlightLimit.Share(expected[i], window),
              this::readerEnded));
    }
    for (Seat seat : layout.seats()) {
      if (seat.conduct() == Conduct.RECONNECTS) {
        reconnectors.add(
            new Reconnector(
                reconnecting,
                requests.of(seat.reader()),
                plan.matching(seat.reader()),
                plan,
                seat.reader(),
                clock,
                span));
      }
    }
  }

  /** Returns the event loops that read a connection. */
  private BenchEventLoops loops(int connection) {
    return switch (layout.connections().get(connection)) {
      case READING -> loops;
      case UNREAD -> unread;
      case TRAVELLING -> visitors;
    };
  }

  private DeliveryTracker ledger(Seat seat) {
    DeliveryTracker ledger = new DeliveryTracker(plan.matching(seat.reader()));
    ledger.beginsBeforeAllWrites();
    return ledger;
  }

  private void readerEnded(Status status) {
    lastEnd = status.getCode() + text(status);
    ended.incrementAndGet();
  }

  private static String text(Status status) {
    return status.getDescription() == null ? "" : ": " + status.getDescription();
  }

  @Override
  public void open(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (int i = 0; i < connections.size(); i++) {
      loops(i).connect(connections.get(i).channel(), deadline - System.nanoTime());
    }
    for (Seat seat : layout.seats()) {
      switch (seat.conduct()) {
        case READS -> following.add(open(seat, Reader.Role.READS));
        case TRAVELS -> travellers.add(new Traveller(seat, open(seat, Reader.Role.RETURNS)));
        case IDLES -> others.add(open(seat, Reader.Role.IDLES));
        case UNREAD -> others.add(open(seat, Reader.Role.READS));
        case RECONNECTS -> {}
      }
    }
    Reader.await(following, Reader::synced, deadline, "synced");
    Reader.await(others, Reader::synced, deadline, "synced");
    Reader.await(
        travellers.stream().map(Traveller::reader).toList(), Reader::synced, deadline, "synced");
    if (ended.get() > 0) {
      throw new IOException(ended.get() + " streams were ended before Synced: " + lastEnd);
    }
    unread.stall();
    reconnectors.forEach(Reconnector::start);
  }

  /** Returns a new connection for late readers; the writer waits for none of them. */
  private ReaderConnection joining() {
    return new ReaderConnection(
        loops.channel(),
        new LatencyRecorder(clock, span),
        new InFlightLimit.Share(new int[plan.objects().count()], null),
        this::readerEnded);
  }

  private Reader open(Seat seat, Reader.Role role) {
    return connections.get(seat.connection()).open(role, ledger(seat), requests.of(seat.reader()));
  }

  /** A reader that leaves and returns. */
  private record Traveller(Seat seat, Reader reader) {}

  @Override
  public void leave() {
    travellers.forEach(traveller -> traveller.reader.close());
  }

  @Override
  public double comeBack(IntUnaryOperator lastRound, Duration atMost)
      throws IOException, InterruptedException {
    if (travellers.isEmpty()) {
      return Double.NaN;
    }
    int[] written = new int[plan.objects().count()];
    Arrays.setAll(written, lastRound);
    long begin = System.nanoTime();
    List<Reader> back = new ArrayList<>();
    for (Traveller traveller : travellers) {
      Reader before = traveller.reader;
      Reader reader =
          connections
              .get(traveller.seat.connection())
              .open(
                  Reader.Role.READS,
                  before.ledger(),
                  requests.of(traveller.seat.reader(), before.token()));
      back.add(reader);
    }
    following.addAll(back);
    Reader.await(back, Reader::live, begin + atMost.toNanos(), "back");
    for (Reader reader : back) {
      while (!reader.ledger().isComplete(object -> written[object]) && reader.ended() == null) {
        if (System.nanoTime() - begin > atMost.toNanos()) {
          throw new IOException("streams that came back did not get all they missed in time");
        }
        Thread.sleep(1);
      }
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  @Override
  public double joinAndLeave(Duration atMost) throws IOException, InterruptedException {
    double seconds = joiners.join(atMost);
    joiners.leave();
    return seconds;
  }

  @Override
  public double join(Duration atMost) throws IOException, InterruptedException {
    double seconds = joiners.join(atMost);
    following.addAll(joiners.readers());
    return seconds;
  }

  @Override
  public DeliveryCounts traffic() {
    DeliveryCounts sum = DeliveryCounts.NONE;
    for (LatencyRecorder recorder : recorders()) {
      sum = sum.plus(recorder.traffic());
    }
    return sum;
  }

  /** Returns the recorders of the connections that are read. */
  private List<LatencyRecorder> recorders() {
    List<LatencyRecorder> recorders = recorders(EnumSet.of(Use.READING, Use.TRAVELLING));
    joiners.connections().forEach(connection -> recorders.add(connection.recorder()));
    return recorders;
  }

  private List<LatencyRecorder> recorders(Set<Use> uses) {
    List<LatencyRecorder> recorders = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      if (uses.contains(layout.connections().get(i))) {
        recorders.add(connections.get(i).recorder());
      }
    }
    return recorders;
  }

  @Override
  public long ended() {
    return Stream.concat(following.stream(), travellers.stream().map(Traveller::reader))
        .filter(reader -> reader.ended() != null)
        .count();
  }

  @Override
  public String lastEnd() {
    return lastEnd;
  }

  @Override
  public long reconnects() {
    return reconnectors.stream().mapToLong(Reconnector::times).sum();
  }

  @Override
  public boolean isComplete(IntUnaryOperator lastRound) {
    return following.stream()
        .allMatch(reader -> reader.ended() != null || reader.ledger().isComplete(lastRound));
  }

  @Override
  public void end() throws InterruptedException {
    reconnectors.forEach(Reconnector::close);
    List<ReaderConnection> all = new ArrayList<>(connections);
    all.addAll(joiners.connections());
    all.forEach(ReaderConnection::close);
    unread.goOn(); // otherwise the termination of each stalled channel times out
    for (ReaderConnection connection : all) {
      connection.channel().awaitTermination(1, TimeUnit.SECONDS);
    }
    loops.end();
    unread.end();
    visitors.end();
    reconnecting.end();
  }

  @Override
  public LossReport losses(IntUnaryOperator lastRound) {
    LossReport losses = new LossReport(0, 0, 0, 0, 0, ended());
    for (Reader reader : following) {
      losses = losses.plus(reader.ledger().losses(lastRound));
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
