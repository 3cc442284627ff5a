package io.watchgate.auth;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.OpenType;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeName;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of changes of roles and bindings, by list-watches like those of every type. Where the
 * gateway may not read them it says so once, and streams are looked at by the clock alone. One
 * virtual thread a type, which only waits.
 */
final class RoleWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RoleWatch.class);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final String GROUP = "rbac.authorization.k8s.io";
  private static final List<String> TYPES =
      List.of(
          RoleChanges.ROLES,
          RoleChanges.BINDINGS,
          RoleChanges.CLUSTER_ROLES,
          RoleChanges.CLUSTER_BINDINGS);

  private final Cluster cluster;
  private final TypeRegistry registry;
  private final Consumer<Subjects> changed;
  private final RoleChanges changes = new RoleChanges();
  private final Duration retry;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;
  private final AtomicBoolean told = new AtomicBoolean();

  /**
   * @param changed is told on a thread of this whom a change may concern, and must not block
   * @param retry how long after a type's end it is opened again
   */
  RoleWatch(Cluster cluster, TypeRegistry registry, Consumer<Subjects> changed, Duration retry) {
    this.cluster = cluster;
    this.registry = registry;
    this.changed = changed;
    this.retry = retry;
  }

  void start() {
    for (String type : TYPES) {
      threads.add(Thread.ofVirtual().name("watch-" + type).start(() -> follow(type)));
    }
  }

  private void follow(String type) {
    try {
      Duration wait = retry;
      while (!closed) {
        boolean read = false;
        try {
          read = followOnce(type);
        } catch (RuntimeException e) {
          if (!closed) {
            log.error(
                "{} are not watched for a moment; access is re-checked by the clock", type, e);
          }
        }
        wait = read ? retry : wait.multipliedBy(2);
        wait = wait.compareTo(LONGEST) < 0 ? wait : LONGEST;
        Thread.sleep(wait);
      }
    } catch (InterruptedException e) {
      log.debug("{} are no longer watched", type);
    }
  }

  /** Returns once its list-watch has ended; whether there was a list. */
  private boolean followOnce(String type) throws InterruptedException {
    if (!(cluster.resolve(new TypeName(GROUP, "", type)) instanceof Cluster.Found found)) {
      return false;
    }
    try (OpenType open = registry.acquire(found.definition())) {
      changes.isReadFrom(type, open.cache());
      return untilItEnds(type, open.cache());
    }
  }

  private boolean untilItEnds(String type, WatchCache cache) throws InterruptedException {
    Semaphore news = new Semaphore(1);
    Runnable listener = news::release;
    cache.addListener(listener);
    try {
      @Nullable Revision seen = null;
      while (!cache.upstream().phase().isEnd()) {
        news.acquire();
        news.drainPermits();
        Revision head = cache.head();
        if (head != null && seen == null) {
          changed.accept(Subjects.EVERYBODY); // what happened before nobody told
        } else if (head != null && seen != null && !Objects.equals(head.digest(), seen.digest())) {
          changed.accept(changes.between(type, seen, head));
        }
        seen = head;
        if (cache.upstream().failure() instanceof UpstreamFailure.Forbidden failure
            && told.compareAndSet(false, true)) {
          log.warn(
              "the gateway may not read roles and bindings, so what is taken away from a subscriber"
                  + " ends his streams at the next re-check only (--recheck-every): {}",
              failure.message());
        }
      }
      return seen != null;
    } finally {
      cache.removeListener(listener);
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
  }
}
