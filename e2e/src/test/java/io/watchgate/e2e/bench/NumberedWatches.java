package io.watchgate.e2e.bench;

import static org.awaitility.Awaitility.await;

import io.watchgate.client.WatchClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Many subscribers of {@link NumberedWrites} that share a few clients. */
final class NumberedWatches implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(20);

  /** Number of watches that are opened at a time. */
  private static final int WAVE = 500;

  private final NumberedWrites writes;
  private final List<WatchClient> clients = new ArrayList<>();
  private final List<NumberedWatch> watches = new ArrayList<>();

  private NumberedWatches(NumberedWrites writes) {
    this.writes = writes;
  }

  /** Opens the watches. Returns once each of them is up to date. */
  static NumberedWatches open(
      NumberedWrites writes, int count, int clients, Supplier<WatchClient> client) {
    NumberedWatches open = new NumberedWatches(writes);
    try {
      for (int i = 0; i < count; i++) {
        if (i < clients) {
          open.clients.add(client.get());
        }
        NumberedWatch watch = new NumberedWatch();
        open.watches.add(watch);
        var _ = open.clients.get(i % clients).watch(writes.request(), watch);
        if ((i + 1) % WAVE == 0 || i + 1 == count) {
          open.awaitUpToDate();
          Figures.progress("%,d of %,d watches are open", i + 1, count);
        }
      }
      return open;
    } catch (RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  /** Waits until each has received everything written so far. */
  void awaitUpToDate() {
    long last = writes.last();
    await("all up to date")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> watches.stream().allMatch(watch -> watch.last() >= last));
  }

  /** Waits until each has received its awaited change since {@link NumberedWatch#expectNews}. */
  void awaitNews() {
    await("all heard of a change")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> watches.stream().allMatch(NumberedWatch::hasNews));
  }

  List<NumberedWatch> where(Predicate<NumberedWatch> condition) {
    return watches.stream().filter(condition).toList();
  }

  Stream<NumberedWatch> stream() {
    return watches.stream();
  }

  Percentiles percentiles(Function<NumberedWatch, Duration> time) {
    return Percentiles.of(watches.stream().map(time).toList());
  }

  NumberedWatch.Faults faults() {
    return watches.stream()
        .map(NumberedWatch::faults)
        .reduce(NumberedWatch.Faults.NONE, NumberedWatch.Faults::plus);
  }

  void addFaultsTo(Figures figures) {
    NumberedWatch.Faults faults = faults();
    figures.add("changes missed", faults.missed(), "0");
    figures.add("changes that came twice or late", faults.twice(), "0");
    figures.add("second snapshots", faults.snapshots(), "0");
    figures.add("net effects", faults.netEffects(), "0");
    figures.add("watches that ended", faults.ended(), "0");
  }

  @Override
  public void close() {
    clients.forEach(WatchClient::close);
  }
}
