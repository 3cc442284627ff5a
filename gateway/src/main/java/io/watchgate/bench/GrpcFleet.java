package io.watchgate.bench;

import io.grpc.Status;
import io.watchgate.bench.Layout.Conduct;
import io.watchgate.bench.Layout.Seat;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Readers of a gateway. */
final class GrpcFleet implements Fleet {
  private final Plan plan;
  private final Layout layout;
  private final StreamRequests requests;
  private final EventLoops loops;
  private final EventLoops unread;
  private final BitSet isUnread = new BitSet();
  private final List<ReaderConnection> connections = new ArrayList<>();
  private final List<Reader> following = new ArrayList<>();
  private final List<Reader> others = new ArrayList<>();
  private final List<Reconnector> reconnectors = new ArrayList<>();
  private final AtomicLong ended = new AtomicLong();
  private volatile String lastEnd = "";

  /**
   * Connects to nothing yet.
   *
   * @param window where the writer waits for the readers, else null
   */
  GrpcFleet(
      Plan plan,
      Layout layout,
      StreamRequests requests,
      Target target,
      Clock clock,
      Span span,
      @Nullable Window window) {
    this.plan = plan;
    this.layout = layout;
    this.requests = requests;
    this.loops = new EventLoops(target, Runtime.getRuntime().availableProcessors());
    this.unread = new EventLoops(target, 1);
    for (Seat seat : layout.seats()) {
      if (seat.conduct() == Conduct.UNREAD) {
        isUnread.set(seat.connection());
      }
    }
    int[][] expected = layout.expected(plan);
    for (int i = 0; i < layout.connections(); i++) {
      connections.add(
          new ReaderConnection(
              (isUnread.get(i) ? unread : loops).channel(),
              new Recorder(clock, span),
              new Window.Share(expected[i], window),
              this::readerEnded));
    }
    for (Seat seat : layout.seats()) {
      if (seat.conduct() == Conduct.RECONNECTS) {
        reconnectors.add(
            new Reconnector(
                loops,
                requests.of(seat.reader()),
                plan.matching(seat.reader()),
                plan,
                seat.reader()));
      }
    }
  }

  private Ledger ledger(Seat seat) {
    Ledger ledger = new Ledger(plan.matching(seat.reader()));
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
      EventLoops group = isUnread.get(i) ? unread : loops;
      group.connect(connections.get(i).channel(), deadline - System.nanoTime());
    }
    for (Seat seat : layout.seats()) {
      switch (seat.conduct()) {
        case READS -> following.add(open(seat, Reader.Role.READS));
        case IDLES -> others.add(open(seat, Reader.Role.IDLES));
        case UNREAD -> others.add(open(seat, Reader.Role.READS));
        case RECONNECTS -> {}
      }
    }
    awaitSynced(following, deadline);
    awaitSynced(others, deadline);
    if (ended.get() > 0) {
      throw new IOException(ended.get() + " streams were ended before Synced: " + lastEnd);
    }
    unread.stall();
    reconnectors.forEach(Reconnector::start);
  }

  private Reader open(Seat seat, Reader.Role role) {
    return connections.get(seat.connection()).open(role, ledger(seat), requests.of(seat.reader()));
  }

  private static void awaitSynced(List<Reader> readers, long deadline)
      throws IOException, InterruptedException {
    for (Reader reader : readers) {
      if (!reader.synced().await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        long left = readers.stream().filter(each -> each.synced().getCount() > 0).count();
        throw new IOException(left + " of " + readers.size() + " streams were not synced in time");
      }
    }
  }

  @Override
  public Traffic traffic() {
    Traffic sum = Traffic.NONE;
    for (Recorder recorder : recorders()) {
      sum = sum.plus(recorder.traffic());
    }
    return sum;
  }

  /** Those of connections that are read. */
  private List<Recorder> recorders() {
    List<Recorder> recorders = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      if (!isUnread.get(i)) {
        recorders.add(connections.get(i).recorder());
      }
    }
    return recorders;
  }

  @Override
  public long ended() {
    return following.stream().filter(reader -> reader.ended() != null).count();
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
    connections.forEach(ReaderConnection::close);
    for (ReaderConnection connection : connections) {
      connection.channel().awaitTermination(1, TimeUnit.SECONDS);
    }
    loops.end();
    unread.end();
  }

  @Override
  public Losses losses(IntUnaryOperator lastRound) {
    Losses losses = new Losses(0, 0, 0, 0, 0, ended(), 0);
    for (Reader reader : following) {
      losses = losses.plus(reader.ledger().losses(lastRound));
    }
    return losses;
  }

  @Override
  public LatencyHistogram latencies() {
    LatencyHistogram all = new LatencyHistogram();
    recorders().forEach(recorder -> all.add(recorder.latencies()));
    return all;
  }
}
