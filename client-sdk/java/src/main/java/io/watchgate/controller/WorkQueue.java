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
 * Work queue of keys, each queued at most once. A key that is added while it is being processed is
 * queued again when its processing ends, so that one worker at a time processes a key. First in,
 * first out. Thread-safe.
 *
 * <pre>{@code
 * for (Optional<NamespacedName> next = queue.take(); next.isPresent(); next = queue.take()) {
 *   try {
 *     work(next.get());
 *     queue.succeeded(next.get());
 *   } catch (RuntimeException e) {
 *     queue.failed(next.get());
 *   }
 * }
 * }</pre>
 *
 * @param <K> type of the keys, with {@code equals} and {@code hashCode}
 */
public final class WorkQueue<K> {
  /** Longer than any program runs; the sum with a time is still comparable. */
  private static final Duration MAX_DELAY = Duration.ofDays(36_500);

  /**
   * Number of superseded entries up to which none is removed before its time. Beyond it they are
   * removed together once they are more than the delayed keys, which costs a constant for each.
   */
  static final int MIN_SUPERSEDED = 64;

  private final RetryPolicy retries;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Keys that can be taken, in order; a subset of {@link #wanted}. */
  private final Deque<K> ready = new ArrayDeque<>();

  /** Keys to process, whether or not they are being processed at the moment. */
  private final Set<K> wanted = new HashSet<>();

  private final Set<K> working = new HashSet<>();
  private final PriorityQueue<Delayed<K>> delayed = new PriorityQueue<>();

  /**
   * Earliest entry of each delayed key; later entries of the key in {@link #delayed} are ignored.
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

  /** Creates an empty queue with the retries of {@link RetryPolicy#DEFAULT}. */
  public WorkQueue() {
    this(RetryPolicy.DEFAULT);
  }

  /** Creates an empty queue with a retry policy. */
  public WorkQueue(RetryPolicy retries) {
    this(retries, System::nanoTime);
  }

  WorkQueue(RetryPolicy retries, LongSupplier nanoTime) {
    this.retries = retries;
    this.nanoTime = nanoTime;
    this.retryAt = nanoTime.getAsLong() - window();
  }

  // ---- producers

  /** Queues the key unless it is queued already. Without effect after {@link #close}. */
  public void add(K key) {
    Objects.requireNonNull(key, "key");
    lock.lock();
    try {
      enqueue(key);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Queues the key after a delay. Of several delays of one key, the first to expire counts.
   *
   * @param delay more than 100 years count as 100 years
   */
  public void addAfter(K key, Duration delay) {
    Objects.requireNonNull(key, "key");
    long nanos = (delay.compareTo(MAX_DELAY) < 0 ? delay : MAX_DELAY).toNanos();
    lock.lock();
    try {
      delay(key, nanoTime.getAsLong() + nanos);
    } finally {
      lock.unlock();
    }
  }

  private void enqueue(K key) {
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
    if (delayed.size() > 2 * due.size() + MIN_SUPERSEDED) {
      delayed.removeIf(later -> !later.equals(due.get(later.key)));
    }
    changed.signal(); // a waiting worker may have to wake earlier
  }

  // ---- workers

  /**
   * Waits for the next key and returns it. The key is being processed until {@link #succeeded} or
   * {@link #failed}.
   *
   * @return empty: the queue was closed and is empty
   */
  public Optional<K> take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long wait = queueExpired();
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

  /**
   * Queues the keys whose delay has expired. Returns the nanoseconds until the next delayed key;
   * negative: none.
   */
  private long queueExpired() {
    long now = nanoTime.getAsLong();
    for (Delayed<K> next = delayed.peek(); next != null; next = delayed.peek()) {
      if (!next.equals(due.get(next.key))) {
        delayed.remove(); // superseded by an earlier entry
      } else if (next.atNanos - now > 0) {
        return next.atNanos - now;
      } else {
        delayed.remove();
        due.remove(next.key);
        enqueue(next.key);
      }
    }
    return -1;
  }

  /** Marks the key as processed. If it was added in the meantime, it is queued again. */
  public void succeeded(K key) {
    lock.lock();
    try {
      failures.remove(key);
      done(key);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Marks the key as failed. It is queued again after a delay that grows with each failure in a
   * row.
   */
  public void failed(K key) {
    lock.lock();
    try {
      int count = failures.merge(key, 1, Integer::sum);
      done(key);
      long now = nanoTime.getAsLong();
      delay(key, Math.max(now + retries.waitNanos(count), nextRetryTime(now)));
    } finally {
      lock.unlock();
    }
  }

  /** Returns the time at which the rate limit permits the next retry. */
  private long nextRetryTime(long now) {
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

  // ---- status

  /** Returns the number of keys that can be taken immediately. */
  public int readyCount() {
    lock.lock();
    try {
      return ready.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of delayed keys. */
  public int delayedCount() {
    lock.lock();
    try {
      return due.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of entries that are kept for delayed keys, superseded ones included. */
  int delayedEntries() {
    lock.lock();
    try {
      return delayed.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of failures in a row of the key. */
  public int failureCount(K key) {
    lock.lock();
    try {
      return failures.getOrDefault(key, 0);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the queue: it accepts no more keys and drops delayed keys. Queued keys can still be
   * taken.
   */
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
