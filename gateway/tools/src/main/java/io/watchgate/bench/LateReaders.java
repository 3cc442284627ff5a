package io.watchgate.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Readers that join during the run, on connections of their own. */
final class LateReaders {
  private static final int CONNECTIONS = 10;

  private final BenchPlan plan;
  private final StreamRequests requests;
  private final BenchEventLoops loops;
  private final Supplier<ReaderConnection> connectionSupplier;
  private final List<ReaderConnection> connections = new ArrayList<>();
  private final List<Reader> readers = new ArrayList<>();

  /**
   * @param connectionSupplier supplier of connections on {@code loops} that are not yet open
   */
  LateReaders(
      BenchPlan plan,
      StreamRequests requests,
      BenchEventLoops loops,
      Supplier<ReaderConnection> connectionSupplier) {
    this.plan = plan;
    this.requests = requests;
    this.loops = loops;
    this.connectionSupplier = connectionSupplier;
  }

  /**
   * Opens the streams. Returns the seconds from the first request until each is synced; NaN if
   * there are none.
   */
  double join() throws IOException, InterruptedException {
    int joining = plan.arrivals().joining();
    if (joining == 0) {
      return Double.NaN;
    }
    long deadline = System.nanoTime() + Fleet.OPENING_TIMEOUT.toNanos();
    for (int i = 0; i < Math.min(joining, CONNECTIONS); i++) {
      ReaderConnection connection = connectionSupplier.get();
      connections.add(connection);
      loops.connect(connection.channel(), deadline - System.nanoTime());
    }
    long begin = System.nanoTime();
    for (int i = 0; i < joining; i++) {
      // Late readers have the selectors of the first streams.
      DeliveryTracker tracker = new DeliveryTracker(plan.expectedMatches(i));
      ReaderConnection connection = connections.get(i % connections.size());
      readers.add(connection.open(Reader.Role.READS, tracker, requests.of(i)));
    }
    Reader.await(readers, Reader::synced, deadline, "synced");
    return (System.nanoTime() - begin) / 1e9;
  }

  /** Closes and discards the connections and their readers. */
  void leave() throws InterruptedException {
    connections.forEach(ReaderConnection::close);
    for (ReaderConnection connection : connections) {
      connection.channel().awaitTermination(1, TimeUnit.SECONDS);
    }
    connections.clear();
    readers.clear();
  }

  List<Reader> readers() {
    return readers;
  }

  List<ReaderConnection> connections() {
    return connections;
  }
}
