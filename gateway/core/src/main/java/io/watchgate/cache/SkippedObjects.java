package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record of the objects of one type that are not served because they cannot be read. Only such an
 * object is left out of the state, as if it did not exist; all other objects are served. An object
 * that was cached before is deleted (INFERRED), so that no subscriber keeps an outdated state. Each
 * skipped object is counted; the log names one a minute ({@link SkippedObjectSettings}).
 * Thread-safe.
 */
final class SkippedObjects {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  /** Names have at most 253 characters each; longer text is truncated in the log. */
  private static final int MAX_NAME_LENGTH = 600;

  private final ApiResource type;
  private final TimeSource time;
  private final CacheMetrics metrics;
  private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);

  /** True if there are keys. There are nearly never any, and then no lock is needed. */
  private volatile boolean anyKeys;

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
   * @param key empty if it is not known
   * @param problem description without object content
   */
  synchronized void skip(Optional<byte[]> key, String problem) {
    key.filter(_ -> keys.size() < SkippedObjectSettings.MAX_KEYS).ifPresent(keys::add);
    anyKeys = !keys.isEmpty();
    report(
        key.map(SkippedObjects::text).orElse("an object whose name cannot be read")
            + " is not served, everything else is",
        problem);
  }

  /** Counts and logs a problem that leaves no object out. */
  synchronized void report(String consequence, String problem) {
    count = count + 1;
    metrics.objectSkipped();
    long now = time.nanoTime();
    if (loggedAt != null && now - loggedAt < SkippedObjectSettings.BETWEEN_LINES.toNanos()) {
      unlogged++;
      return;
    }
    log.warn(
        "{}: {}: {}{}",
        type,
        consequence,
        problem,
        unlogged == 0 ? "" : " (and " + unlogged + " more since the last such line)");
    loggedAt = now;
    unlogged = 0;
  }

  /** Removes a key whose object is served or deleted. */
  void forget(byte[] key) {
    if (anyKeys) {
      remove(key);
    }
  }

  private synchronized void remove(byte[] key) {
    keys.remove(key);
    anyKeys = !keys.isEmpty();
  }

  /** Returns whether an object of that key is left out. */
  synchronized boolean contains(byte[] key) {
    return keys.contains(key);
  }

  /** Returns the number of problems so far. */
  long count() {
    return count;
  }

  /**
   * Returns whether a retry is permitted after an event that does not identify its object. A retry
   * opens the watch again; if the event recurs, it lists, because only a list shows the present
   * state of that object. Permitted twice in ten minutes, so that one object cannot cause list
   * after list. In between the {@link SelfCheck} finds what is missing.
   */
  synchronized boolean tryAcquireRetry() {
    long now = time.nanoTime();
    if (retriedAt == null || now - retriedAt >= SkippedObjectSettings.RETRIES_EVERY.toNanos()) {
      retriedAt = now;
      retries = 0;
    }
    return retries++ < SkippedObjectSettings.MAX_RETRIES;
  }

  private static String text(byte[] key) {
    String name = new String(key, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    return name.length() <= MAX_NAME_LENGTH ? name : name.substring(0, MAX_NAME_LENGTH) + "...";
  }
}
