package io.watchgate.cache;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batched upstream lookups for the streams of one type. At most two threads run at a time, one for
 * each kind of lookup. A request that arrives while a lookup is running waits for the next lookup,
 * together with all other requests; {@link BatchedBackfills} has those for backfills.
 */
final class BatchedUpstreamLookups implements UpstreamLookups {
  private static final Logger log = LoggerFactory.getLogger(BatchedUpstreamLookups.class);

  private final VersionProbe probe;
  private final WatchCache cache;
  private final ReflectorCommands commands;
  private final BatchedBackfills backfills;
  private final CountDownLatch stopped;
  private final CoalescedLookup<Optional<ResourceVersion>, Progress> progress;

  /**
   * @param threads runs each task on a new thread
   * @param stopped latch that ends every wait
   */
  BatchedUpstreamLookups(
      VersionProbe probe,
      WatchCache cache,
      ReflectorCommands commands,
      BatchedBackfills backfills,
      Executor threads,
      CountDownLatch stopped) {
    this.probe = probe;
    this.cache = cache;
    this.commands = commands;
    this.backfills = backfills;
    this.stopped = stopped;
    this.progress =
        new CoalescedLookup<>(
            threads,
            BatchedUpstreamLookups::later,
            CoalescedLookup.Pause.NONE,
            this::ask,
            e ->
                e instanceof InterruptedException
                    ? new Unknown("interrupted")
                    : new Unknown(failed("asking for the present version", e)));
  }

  @Override
  public CompletionStage<Progress> requestProgress() {
    return progress.ask(Optional.empty());
  }

  @Override
  public CompletionStage<Progress> requestProgress(ResourceVersion wanted) {
    return progress.ask(Optional.of(wanted));
  }

  @Override
  public CompletionStage<Boolean> backfill(ResourceVersion version) {
    return backfills.request(version);
  }

  // ---- on lookup threads

  private static Optional<ResourceVersion> later(
      Optional<ResourceVersion> one, Optional<ResourceVersion> other) {
    return Stream.of(one, other).flatMap(Optional::stream).max(Comparator.naturalOrder());
  }

  /**
   * Asks for the version of the apiserver.
   *
   * @param wanted highest version that a caller gives up if the apiserver has not reached it;
   *     empty: none. If the apiserver is behind it, the version is read again over a new
   *     connection.
   */
  private Progress ask(Optional<ResourceVersion> wanted) throws InterruptedException {
    Progress first = ask();
    if (wanted.isEmpty() || !(first instanceof At) || first.hasReached(wanted.get())) {
      return first;
    }
    probe.reconnectAndWait();
    return stopped.getCount() == 0 ? first : ask();
  }

  private Progress ask() throws InterruptedException {
    Revision head = cache.head();
    if (head == null) {
      return new Unknown("no list has been loaded yet");
    }
    return switch (probe.probe(head)) {
      case VersionProbe.Answered(ResourceVersion version) -> {
        if (version.isAfter(head.version()) && cache.definition().type().isWatchCached()) {
          commands.refreshPosition();
        }
        yield new At(version);
      }
      case VersionProbe.Behind(ResourceVersion version, var _) -> {
        commands.relist(ListReason.ROLLBACK, head);
        yield new At(version);
      }
      case VersionProbe.Failed(UpstreamFailure failure) -> new Unknown(failure.message());
    };
  }

  private String failed(String request, Throwable e) {
    if (stopped.getCount() > 0) {
      log.error("{}: {} failed", cache.definition().type(), request, e);
    }
    return "the gateway itself failed";
  }
}
