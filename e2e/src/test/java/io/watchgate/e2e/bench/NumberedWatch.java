package io.watchgate.e2e.bench;

import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;

/**
 * Subscriber of {@link NumberedWrites} that records the time and replica of changes, and whether
 * each number arrived once and in order. Synchronized.
 */
final class NumberedWatch implements WatchListener {
  /** Counters of errors and of possible errors. */
  record Faults(long missed, long twice, long snapshots, long netEffects, long ended) {
    static final Faults NONE = new Faults(0, 0, 0, 0, 0);

    Faults plus(Faults other) {
      return new Faults(
          missed + other.missed,
          twice + other.twice,
          snapshots + other.snapshots,
          netEffects + other.netEffects,
          ended + other.ended);
    }
  }

  private String server = "";
  private long last;
  private long missed;
  private long twice;
  private long snapshots;
  private long netEffects;
  private long ended;
  private long interruptions;

  private long changedAt = System.nanoTime();
  private long longestGap;

  /** Replica whose changes are not the awaited change. */
  private String lost = "";

  private boolean heardNews = true;
  private long interruptionsBefore;
  private long noticedAt;
  private long openedAt;
  private long newsAt;

  @Override
  public synchronized void onUpdate(WatchUpdate update) {
    switch (update) {
      case WatchUpdate.Opened opened -> {
        server = opened.stream().getServerId();
        openedAt = System.nanoTime();
      }
      case WatchUpdate.SnapshotBegun _ -> snapshots++;
      case WatchUpdate.SnapshotObjects snapshot ->
          snapshot
              .objects()
              .forEach(object -> last = Math.max(last, NumberedWrites.number(object)));
      case WatchUpdate.Changes changes -> {
        netEffects += changes.netEffect().isPresent() ? 1 : 0;
        changes.events().forEach(this::take);
        recordProgress();
      }
      case WatchUpdate.Interrupted _ -> {
        interruptions++;
        if (!heardNews && interruptions == interruptionsBefore + 1) {
          noticedAt = System.nanoTime();
        }
      }
      case WatchUpdate.Ended _ -> ended++;
      case WatchUpdate.SnapshotComplete _, WatchUpdate.Bookmark _, WatchUpdate.Reconnected _ -> {}
    }
  }

  private void take(WatchEvent event) {
    long number = NumberedWrites.number(event);
    if (number <= last) {
      twice++;
    } else {
      missed += number - last - 1;
      last = number;
    }
  }

  private void recordProgress() {
    long now = System.nanoTime();
    longestGap = Math.max(longestGap, now - changedAt);
    changedAt = now;
    if (!heardNews && !server.equals(lost)) {
      heardNews = true;
      newsAt = now;
    }
  }

  /** Returns the last number received. */
  synchronized long last() {
    return last;
  }

  /** Returns the id of the current replica, or of the last one. */
  synchronized String server() {
    return server;
  }

  /** Makes the next change from another replica than this the awaited change. */
  synchronized void expectNews(String fromAnotherThan) {
    lost = fromAnotherThan;
    heardNews = false;
    interruptionsBefore = interruptions;
  }

  synchronized boolean hasNews() {
    return heardNews;
  }

  /** Returns the time from {@code moment} to the awaited change; only once it {@link #hasNews}. */
  synchronized Duration newsAfter(long moment) {
    return Duration.ofNanos(newsAt - moment);
  }

  /** Returns the time from {@code moment} to the end of the stream, if it ended. */
  synchronized Duration noticedAfter(long moment) {
    return Duration.ofNanos(noticedAt - moment);
  }

  /**
   * Returns the time from {@code moment} to the admission of the stream with the awaited change, if
   * it is a new stream.
   */
  synchronized Duration openedAfter(long moment) {
    return Duration.ofNanos(openedAt - moment);
  }

  /** Restarts the measurement of the longest time without a change. */
  synchronized void beginPeriod() {
    changedAt = System.nanoTime();
    longestGap = 0;
  }

  synchronized Duration longestGap() {
    return Duration.ofNanos(Math.max(longestGap, System.nanoTime() - changedAt));
  }

  /** Returns the number of ended streams and failed attempts. */
  synchronized long interruptions() {
    return interruptions;
  }

  /** Returns the errors so far. The first snapshot is not an error. */
  synchronized Faults faults() {
    return new Faults(missed, twice, Math.max(0, snapshots - 1), netEffects, ended);
  }
}
