package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Proof that the cached state equals the apiserver's state at some moment after the request. It
 * also covers a type that does not change, whose version would otherwise be learned only from a
 * bookmark, up to a minute later.
 *
 * <p>A resourceVersion belongs to one change, or to the deletes of one transaction. So if a
 * consistent list at version L has exactly the keys, uids and versions of the cached state, then
 * the cached state is the state at L, although its own version is lower. A large type is not
 * listed: its cache reaches the version of the apiserver within milliseconds if the type changes;
 * if it does not, a second, brief watch brings a bookmark. The watch of the reflector is never
 * interrupted for a proof. A brief watch proves less than a list: that the state follows from its
 * own version. A restore of the cluster could have changed that, but it ends the reflector's watch,
 * and then nothing is proven before the history is ({@link HistoryProof}).
 *
 * <p>A proof by comparison holds for one revision only. An event that is older than L may still
 * arrive, of an object that was created and deleted before L; the state after it is older than L
 * and is not proven.
 *
 * <p>Used by one thread at a time: {@link CoalescedLookup} runs one proof and queues one, and
 * {@link #awaitTurn} limits their rate. No field or local variable references a revision during a
 * wait, because it would keep a complete state reachable.
 */
final class FreshnessProof {
  private final Upstream upstream;
  private final VersionProbe probe;
  private final WatchCache cache;
  private final FreshnessProofSettings settings;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;
  private final CacheMetrics metrics;

  /** Times of the last proof and of the one before, in nanoseconds of the cache's clock. */
  private long lastNanos;

  private long lastButOneNanos;

  /**
   * @param stopped latch that ends every wait
   */
  FreshnessProof(
      Upstream upstream,
      VersionProbe probe,
      WatchCache cache,
      FreshnessProofSettings settings,
      ReflectorClock.Sleeper sleeper,
      CountDownLatch stopped,
      CacheMetrics metrics) {
    this.sleeper = sleeper;
    this.stopped = stopped;
    this.lastNanos = cache.now().nanos() - 2 * settings.listInterval().toNanos();
    this.lastButOneNanos = lastNanos;
    this.upstream = upstream;
    this.probe = probe;
    this.cache = cache;
    this.settings = settings;
    this.metrics = metrics;
  }

  /** Method of a proof. */
  private enum Method {
    /** A list of all metadata. */
    LIST,
    /** The version of the apiserver, which the cache reaches. */
    VERSION,
    /** A brief watch up to a bookmark. */
    WATCH
  }

  /**
   * Waits until the next proof may begin, so that endless requests cost the apiserver three lists
   * of a small type a second.
   */
  void awaitTurn() throws InterruptedException {
    long now = cache.now().nanos();
    long due =
        isSmall()
            ? Math.max(
                lastNanos + settings.minListInterval().toNanos(),
                lastButOneNanos + 2 * settings.listInterval().toNanos())
            : lastNanos + settings.versionInterval().toNanos();
    if (due - now > 0) {
      sleeper.await(stopped, Duration.ofNanos(due - now));
    }
    lastButOneNanos = lastNanos;
    lastNanos = cache.now().nanos();
  }

  private boolean isSmall() {
    Revision head = cache.head();
    return head == null || head.state().size() <= settings.maxListed();
  }

  /** Proves the state, within about 3 s if the apiserver answers at once. */
  Freshness prove() throws InterruptedException {
    Attempt attempt = new Attempt();
    Runnable listener = attempt.changes::release;
    cache.addListener(listener);
    try {
      Freshness freshness = attempt.run();
      metrics.freshnessProved(
          attempt.way.name().toLowerCase(Locale.ROOT),
          freshness instanceof Freshness.Proven ? "proven" : "unproven",
          cache.now().nanos() - attempt.requestedAt.nanos());
      return freshness;
    } finally {
      cache.removeListener(listener);
    }
  }

  private final class Attempt {
    final TimeSource.Reading requestedAt = cache.now();
    final Semaphore changes = new Semaphore(0);
    private final long deadline = System.nanoTime() + settings.timeout().toNanos();
    private final int lostHistories = cache.lostHistories();
    Method way = Method.VERSION;

    Freshness run() throws InterruptedException {
      ResourceVersion held = headVersion();
      if (held == null) {
        return new Freshness.Unproven("nothing is cached yet");
      }
      return isSmall() ? byList(held) : byVersion(probeVersion());
    }

    private Freshness byList(ResourceVersion held) throws InterruptedException {
      way = Method.LIST;
      ListedIdentities listed = new ListedIdentities(cache.skipped(), settings.maxListed());
      return switch (upstream.listMetadata(listed)) {
        case Upstream.ListFailed(UpstreamFailure failure) ->
            new Freshness.Unproven(failure.message());
        case Upstream.Listed(String text) -> {
          ResourceVersion version = WatchApplier.requireOrdered(text);
          if (held.isAfter(version)) {
            yield behind(version);
          }
          cache.proofs().recordAnswer(version, requestedAt);
          yield await(version, listed::equalsStateOf, deadline);
        }
      };
    }

    private VersionProbe.Outcome probeVersion() throws InterruptedException {
      Revision head = cache.head();
      return head == null
          ? new VersionProbe.Failed(new UpstreamFailure.Transport("the type was closed"))
          : probe.probe(head);
    }

    private Freshness byVersion(VersionProbe.Outcome probed) throws InterruptedException {
      return switch (probed) {
        case VersionProbe.Failed(UpstreamFailure failure) ->
            new Freshness.Unproven(failure.message());
        case VersionProbe.Behind(ResourceVersion version, var _) -> behind(version);
        case VersionProbe.Answered(ResourceVersion version) -> {
          long soon = System.nanoTime() + (isChanging() ? settings.catchUpTime().toNanos() : 0);
          Freshness reached = await(version, _ -> false, soon);
          yield reached instanceof Freshness.Proven || !cache.definition().type().isWatchCached()
              ? reached
              : byBriefWatch(version);
        }
      };
    }

    /** If the type has not changed recently, no event is likely to bring the version. */
    private boolean isChanging() {
      Revision head = cache.head();
      return head != null
          && requestedAt.nanos() - head.receivedNanos() < settings.catchUpTime().toNanos();
    }

    /**
     * Watches from the head to a bookmark at {@code version} or later. The state that has the last
     * of these events, or the head if there were none, is the state at the bookmark.
     */
    private Freshness byBriefWatch(ResourceVersion version) throws InterruptedException {
      way = Method.WATCH;
      ResourceVersion from = watchStart();
      if (from == null) {
        return new Freshness.Unproven("the type was closed");
      }
      BookmarkSink sink = new BookmarkSink(version);
      Upstream.WatchOutcome outcome =
          upstream.watchBriefly(from.digits(), WatchFailureSettings.BRIEF_DURATION, sink);
      ResourceVersion bookmark = sink.bookmark;
      if (bookmark == null) {
        UpstreamFailure failure = outcome.failure();
        return new Freshness.Unproven(
            failure == null ? "no bookmark came in a brief watch" : failure.message());
      }
      return await(
          bookmark,
          head -> cache.lostHistories() == lostHistories && sink.hasNoEventAfter(head),
          System.nanoTime() + settings.catchUpTime().toNanos());
    }

    private @Nullable ResourceVersion watchStart() {
      Revision head = cache.head();
      return head == null ? null : cache.watchStart(head);
    }

    private @Nullable ResourceVersion headVersion() {
      Revision head = cache.head();
      return head == null ? null : head.version();
    }

    /**
     * Waits until the head is at the version or later, or is known to equal the state at the
     * version. Unproven if neither happens before {@code until}.
     */
    private Freshness await(ResourceVersion version, Predicate<Revision> isStateAt, long until)
        throws InterruptedException {
      boolean isOver = false;
      while (true) {
        changes.drainPermits();
        if (isProven(version, isStateAt)) {
          return new Freshness.Proven(version);
        }
        if (isOver) {
          break;
        }
        // Once more after the time: this thread may have waited for a processor meanwhile.
        isOver = !changes.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      return new Freshness.Unproven(
          "the apiserver is at version "
              + version
              + ", and the cache, at "
              + headVersion()
              + ", did not become equal to it in time");
    }

    private boolean isProven(ResourceVersion version, Predicate<Revision> isStateAt) {
      Revision head = cache.head();
      if (head == null) {
        return false;
      }
      return version.isAfter(head.version())
          ? isStateAt.test(head) && cache.proofs().recordEqual(head.number(), version, requestedAt)
          : cache.proofs().isTrustedSince(requestedAt);
    }

    private Freshness behind(ResourceVersion version) {
      return new Freshness.Unproven(
          "the apiserver is at version " + version + ", before that of the cache");
    }
  }

  /**
   * Sink that ends a watch at the first bookmark of the wanted version or a later one, or at an
   * event that cannot be read.
   */
  private static final class BookmarkSink implements Upstream.WatchSink {
    private final ResourceVersion wanted;

    private @Nullable ResourceVersion last;

    /** Keys of the objects that were deleted at the last version, in one transaction. */
    private final List<byte[]> lastDeleted = new ArrayList<>();

    private @Nullable ResourceVersion bookmark;

    private enum End implements Upstream.Stop {
      BOOKMARK,
      UNREADABLE
    }

    BookmarkSink(ResourceVersion wanted) {
      this.wanted = wanted;
    }

    /** Returns whether the state of {@code head} has all events of this watch. */
    boolean hasNoEventAfter(Revision head) {
      ResourceVersion event = last;
      return event == null
          || head.version().isAfter(event)
          || (head.version().equals(event)
              && lastDeleted.stream().allMatch(key -> head.state().get(key) == null));
    }

    @Override
    public Upstream.SinkResult event(Upstream.EventType type, byte[] buffer, int from, int to) {
      try {
        KubeObject object =
            ListCollector.read(Arrays.copyOfRange(buffer, from, to), FieldPaths.NONE);
        ResourceVersion version = WatchApplier.requireOrdered(object.resourceVersion());
        if (last == null || version.isAfter(last)) { // a delete may have the object's own version
          last = version;
          lastDeleted.clear();
        }
        if (type == Upstream.EventType.DELETED) {
          lastDeleted.add(object.key());
        }
        return Upstream.SinkResult.CONTINUE;
      } catch (UnreadableObjectException e) {
        return End.UNREADABLE;
      }
    }

    @Override
    public Upstream.SinkResult bookmark(String version, Upstream.BookmarkKind kind) {
      ResourceVersion at = ResourceVersion.parse(version);
      if (at == null || wanted.isAfter(at)) {
        return Upstream.SinkResult.CONTINUE;
      }
      bookmark = at;
      return End.BOOKMARK;
    }
  }
}
