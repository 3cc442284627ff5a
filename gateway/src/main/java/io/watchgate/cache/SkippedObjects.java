package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record of the objects of one type that are not served, since they cannot be read. Each alone is
 * left out of the state, as if it did not exist, and everything else goes on: an object that was
 * held before is deleted (INFERRED), so that no subscriber keeps a state that is no longer true.
 * Each is counted; the log names one a minute. Thread-safe.
 */
final class SkippedObjects {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  /** Events that do not say which object they are of, and are asked for again: so many a while. */
  private static final int RETRIES = 2;

  private static final Duration RETRIES_EVERY = Duration.ofMinutes(10);

  /** Keys that are remembered. */
  private static final int MAX_KEYS = 10_000;

  /** Names are at most 253 characters each; what is longer is cut in the log. */
  private static final int LONGEST_NAME = 600;

  private final ApiResource type;
  private final TimeSource time;
  private final CacheMetrics metrics;
  private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);

  /** Whether there are keys: nearly never, and then no lock is needed. */
  private volatile boolean any;

  private volatile long count;
  private long unlogged;
  private @Nullable Long loggedAt;
  private int retries;
  private @Nullable Long retriedAt;

  SkippedObjects(ApiResource type, TimeSource time, CacheMetrics metrics) {
    this.type = type;
    this.time = time;
    this.metrics = metrics;
  }

  /**
   * Counts and logs an object that is left out.
   *
   * @param key empty where it is not known
   * @param problem in words, without content
   */
  synchronized void skip(Optional<byte[]> key, String problem) {
    key.filter(_ -> keys.size() < MAX_KEYS).ifPresent(keys::add);
    any = !keys.isEmpty();
    report(
        key.map(SkippedObjects::text).orElse("an object whose name cannot be read")
            + " is not served, everything else is",
        problem);
  }

  /** Counts and logs something odd that leaves no object out. */
  synchronized void report(String what, String problem) {
    count = count + 1;
    metrics.objectSkipped();
    long now = time.nanoTime();
    if (loggedAt != null && now - loggedAt < BETWEEN_LINES.toNanos()) {
      unlogged++;
      return;
    }
    log.warn(
        "{}: {}: {}{}",
        type,
        what,
        problem,
        unlogged == 0 ? "" : " (and " + unlogged + " more since the last such line)");
    loggedAt = now;
    unlogged = 0;
  }

  /** An object of that key is served, or is gone. */
  void forget(byte[] key) {
    if (any) {
      remove(key);
    }
  }

  private synchronized void remove(byte[] key) {
    keys.remove(key);
    any = !keys.isEmpty();
  }

  /** Whether an object of that key is left out. */
  synchronized boolean has(byte[] key) {
    return keys.contains(key);
  }

  /** How many were counted. */
  long count() {
    return count;
  }

  /**
   * Whether the watch may be opened again for an event that does not say which object it is of, and
   * a list made when that does not help: only that tells what became of the object. Twice in ten
   * minutes, so that one object cannot have the type listed again and again; in between the
   * comparison with the apiserver ({@link SelfCheck}) finds what is missing.
   */
  synchronized boolean allowsRetry() {
    long now = time.nanoTime();
    if (retriedAt == null || now - retriedAt >= RETRIES_EVERY.toNanos()) {
      retriedAt = now;
      retries = 0;
    }
    return retries++ < RETRIES;
  }

  private static String text(byte[] key) {
    String name = new String(key, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "...";
  }
}
