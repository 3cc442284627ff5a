package io.watchgate.auth;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch of roles and bindings, by list-watches like those of every type. While the gateway cannot
 * read them, streams are re-checked only by the timer; {@link UnwatchedRoles} logs that. The delays
 * are in {@link RoleCheckSettings}. One virtual thread per type, which is idle most of the time.
 *
 * <p>A role or binding that cannot be read ({@link WatchCache#skippedObjects}) may concern every
 * caller.
 */
final class RoleWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RoleWatch.class);

  private static final String GROUP = "rbac.authorization.k8s.io";
  private static final List<String> TYPES =
      List.of(
          RoleChanges.ROLES,
          RoleChanges.BINDINGS,
          RoleChanges.CLUSTER_ROLES,
          RoleChanges.CLUSTER_BINDINGS);

  private final Cluster cluster;
  private final TypeRegistry registry;
  private final Consumer<AffectedSubjects> onChange;
  private final RoleChanges changes = new RoleChanges();
  private final Duration retry;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;
  private final UnwatchedRoles visibility;

  /**
   * Creates a watch, which is not started yet.
   *
   * @param onChange receives, on a thread of this watch, the subjects that a change may affect;
   *     must not block
   * @param retry delay after which a type whose list-watch has ended is opened again
   * @param visibility notified whether each type is watched
   */
  RoleWatch(
      Cluster cluster,
      TypeRegistry registry,
      Consumer<AffectedSubjects> onChange,
      Duration retry,
      UnwatchedRoles visibility) {
    this.cluster = cluster;
    this.registry = registry;
    this.onChange = onChange;
    this.retry = retry;
    this.visibility = visibility;
  }

  void start() {
    for (String type : TYPES) {
      threads.add(Thread.ofVirtual().name("watch-" + type).start(() -> watchForever(type)));
    }
  }

  private void watchForever(String type) {
    try {
      Duration wait = retry;
      while (!closed) {
        boolean read = false;
        try {
          read = watchOnce(type);
        } catch (RuntimeException e) {
          if (!closed) {
            log.error("the watch of {} failed; it is opened again", type, e);
            reportUnwatched(type, "the gateway itself failed");
          }
        }
        wait = read ? retry : wait.multipliedBy(2);
        wait =
            wait.compareTo(RoleCheckSettings.MAX_RETRY_DELAY) < 0
                ? wait
                : RoleCheckSettings.MAX_RETRY_DELAY;
        Thread.sleep(wait);
      }
    } catch (InterruptedException e) {
      log.debug("{} are no longer watched", type);
    }
  }

  /** Watches a type until its list-watch has ended, and returns whether its objects were listed. */
  private boolean watchOnce(String type) throws InterruptedException {
    Cluster.Found found;
    switch (cluster.resolve(new TypeReference(GROUP, "", type))) {
      case Cluster.Found served -> found = served;
      case Cluster.Unknown _ -> {
        reportUnwatched(type, "the apiserver does not serve them");
        return false;
      }
      case Cluster.Unavailable(UpstreamFailure failure) -> {
        reportUnwatched(type, failure.message());
        return false;
      }
    }
    try (TypeLease open = registry.acquire(found.definition())) {
      changes.setCache(type, open.cache());
      return watchUntilEnd(type, open.cache());
    }
  }

  private boolean watchUntilEnd(String type, WatchCache cache) throws InterruptedException {
    Semaphore signal = new Semaphore(1);
    Runnable listener = signal::release;
    cache.addListener(listener);
    try {
      @Nullable Revision seen = null;
      long skipped = cache.skippedObjects();
      updateVisibility(type, cache);
      while (!cache.upstreamState().phase().isEnd()) {
        var _ =
            signal.tryAcquire(RoleCheckSettings.POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        signal.drainPermits();
        updateVisibility(type, cache);
        long nowSkipped = cache.skippedObjects();
        Revision head = cache.head();
        if (head != null) {
          if (seen == null || nowSkipped != skipped) {
            onChange.accept(AffectedSubjects.ALL); // the affected subjects are unknown
          } else if (!head.digest().equals(seen.digest())) {
            onChange.accept(changes.affectedSubjects(type, seen, head));
          }
        }
        seen = head;
        skipped = nowSkipped;
      }
      return seen != null;
    } finally {
      cache.removeListener(listener);
    }
  }

  private void updateVisibility(String type, WatchCache cache) {
    UpstreamState state = cache.upstreamState();
    switch (state.phase()) {
      case WATCHING -> visibility.markWatched(type);
      case LOADING, DISCONNECTED ->
          reportUnwatched(type, failureReason(state.failure(), "they are being listed"));
      case GONE, REDEFINED, CLOSED ->
          reportUnwatched(
              type, failureReason(state.failure(), "their list-watch ended; it is opened again"));
      case UNORDERED -> reportUnwatched(type, "their resourceVersions are not decimal numbers");
      case TOO_LARGE -> reportUnwatched(type, "they need more memory than there is");
    }
  }

  private static String failureReason(@Nullable UpstreamFailure failure, String otherwise) {
    return failure == null ? otherwise : failure.message();
  }

  private void reportUnwatched(String type, String reason) {
    if (!closed) {
      visibility.markUnwatched(type, reason, System.nanoTime());
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
  }
}
