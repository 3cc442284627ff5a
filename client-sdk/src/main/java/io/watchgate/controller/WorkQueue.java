package io.watchgate.controller;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Names of what has to be done, each once. A name that is added while it is being worked on comes
 * back when that is done, so that nobody works on one of it at the same time as another. First
 * come, first served. Thread-safe.
 *
 * <pre>{@code
 * for (Optional<ObjectKey> next = queue.take(); next.isPresent(); next = queue.take()) {
 *   try {
 *     work(next.get());
 *     queue.succeeded(next.get());
 *   } catch (RuntimeException e) {
 *     queue.failed(next.get());
 *   }
 * }
 * }</pre>
 *
 * @param <K> with {@code equals} and {@code hashCode}
 */
public final class WorkQueue<K> {
  private final RetryPolicy retries;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Those that wait to be taken, in order; each is wanted as well. */
  private final Deque<K> ready = new ArrayDeque<>();

  /** Those that have to be done, whether they are being worked on or not. */
  private final Set<K> wanted = new HashSet<>();

  private final Set<K> working = new HashSet<>();
  private final PriorityQueue<Delayed<K>> delayed = new PriorityQueue<>();

  /**
   * When each of those comes, at the earliest; what is later of it in the other counts for nothing.
   */
  private final Map<K, Delayed<K>> due = new HashMap<>();

  private final Map<K, Integer> failures = new HashMap<>();
  private long numbers;
  private long retryAt;
  private boolean isClosed;

  private record Delayed<K>(K key, long atNanos, long number) implements Comparable<Delayed<K>> {
    @Override
    public int compareTo(Delayed<K> other) {
      int order = Long.compare(atNanos - other.atNanos, 0);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /** An empty one that tries again as {@link RetryPolicy#DEFAULT} says. */
  public WorkQueue() {
    this(RetryPolicy.DEFAULT);
  }

  /** An empty one. */
  public WorkQueue(RetryPolicy retries) {
    this(retries, System::nanoTime);
  }

  WorkQueue(RetryPolicy retries, LongSupplier nanoTime) {
    this.retries = retries;
    this.nanoTime = nanoTime;
    this.retryAt = nanoTime.getAsLong() - window();
  }

  // ---- who has work

  /** Has that one done, if it does not wait already. After {@link #close}: nothing. */
  public void add(K key) {
    Objects.requireNonNull(key, "key");
    lock.lock();
    try {
      want(key);
    } finally {
      lock.unlock();
    }
  }

  /** The same after a while; of several whiles for one name the one that is over first counts. */
  public void addAfter(K key, Duration delay) {
    Objects.requireNonNull(key, "key");
    lock.lock();
    try {
      delay(key, nanoTime.getAsLong() + delay.toNanos());
    } finally {
      lock.unlock();
    }
  }

  private void want(K key) {
    if (!isClosed && wanted.add(key) && !working.contains(key)) {
      ready.add(key);
      changed.signal();
    }
  }

  private void delay(K key, long atNanos) {
    Delayed<K> before = due.get(key);
    if (isClosed || (before != null && before.atNanos - atNanos <= 0)) {
      return;
    }
    Delayed<K> entry = new Delayed<>(key, atNanos, numbers++);
    due.put(key, entry);
    delayed.add(entry);
    changed.signal(); // the one who waits may wait for too long
  }

  // ---- who does it

  /**
   * The next one, which is worked on until {@link #succeeded} or {@link #failed}; waits for it.
   *
   * @return empty: the queue was closed and nothing is left
   */
  public Optional<K> take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long wait = ripen();
        @Nullable K key = ready.poll();
        if (key != null) {
          wanted.remove(key);
          working.add(key);
          if (!ready.isEmpty()) {
            changed.signal();
          }
          return Optional.of(key);
        }
        if (isClosed && working.isEmpty()) {
          changed.signalAll();
          return Optional.empty();
        }
        if (wait < 0) {
          changed.await();
        } else {
          long left = changed.awaitNanos(wait);
          assert left <= wait;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** What is due is wanted. Returns how long until the next is, in nanoseconds; negative: none. */
  private long ripen() {
    long now = nanoTime.getAsLong();
    for (Delayed<K> next = delayed.peek(); next != null; next = delayed.peek()) {
      if (!next.equals(due.get(next.key))) {
        delayed.remove(); // it came sooner
      } else if (next.atNanos - now > 0) {
        return next.atNanos - now;
      } else {
        delayed.remove();
        due.remove(next.key);
        want(next.key);
      }
    }
    return -1;
  }

  /** It is done. If it was added meanwhile it comes back. */
  public void succeeded(K key) {
    lock.lock();
    try {
      failures.remove(key);
      done(key);
    } finally {
      lock.unlock();
    }
  }

  /** It has to be tried again, after a wait that gets longer with each failure in a row. */
  public void failed(K key) {
    lock.lock();
    try {
      int count = failures.merge(key, 1, Integer::sum);
      done(key);
      long now = nanoTime.getAsLong();
      delay(key, Math.max(now + retries.waitNanos(count), turn(now)));
    } finally {
      lock.unlock();
    }
  }

  /** When the rate lets the next one through. */
  private long turn(long now) {
    long earliest = now - window();
    retryAt = (retryAt - earliest > 0 ? retryAt : earliest) + interval();
    return retryAt;
  }

  private long interval() {
    return (long) (TimeUnit.SECONDS.toNanos(1) / retries.perSecond());
  }

  private long window() {
    return interval() * retries.burst();
  }

  private void done(K key) {
    if (working.remove(key) && wanted.contains(key)) {
      ready.add(key);
    }
    changed.signalAll();
  }

  // ---- how it goes

  /** How many can be taken at once. */
  public int ready() {
    lock.lock();
    try {
      return ready.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many wait for their time. */
  public int delayed() {
    lock.lock();
    try {
      return due.size();
    } finally {
      lock.unlock();
    }
  }

  /** How often that one failed in a row. */
  public int failures(K key) {
    lock.lock();
    try {
      return failures.getOrDefault(key, 0);
    } finally {
      lock.unlock();
    }
  }

  /** Takes nothing more in, and forgets what is delayed. What is ready is still given out. */
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      delayed.clear();
      due.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
