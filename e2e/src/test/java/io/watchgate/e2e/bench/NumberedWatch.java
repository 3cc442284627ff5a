package io.watchgate.e2e.bench;

import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;

/**
 * A subscriber of {@link NumberedWrites}: when it heard of a change, where, and whether each number
 * came once and in order. Synchronized.
 */
final class NumberedWatch implements WatchListener {
  /** What went wrong, or may have, with any number of them. */
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

  /** Whose changes do not count as news. */
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
        heard();
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

  private void heard() {
    long now = System.nanoTime();
    longestGap = Math.max(longestGap, now - changedAt);
    changedAt = now;
    if (!heardNews && !server.equals(lost)) {
      heardNews = true;
      newsAt = now;
    }
  }

  /** The last number that it was told. */
  synchronized long last() {
    return last;
  }

  /** The id of the replica where it is, or was last. */
  synchronized String server() {
    return server;
  }

  /** From now on the next change from another replica than this is news. */
  synchronized void expectNews(String fromAnotherThan) {
    lost = fromAnotherThan;
    heardNews = false;
    interruptionsBefore = interruptions;
  }

  synchronized boolean hasNews() {
    return heardNews;
  }

  /** How long after {@code moment} the news came; only once it {@link #hasNews}. */
  synchronized Duration newsAfter(long moment) {
    return Duration.ofNanos(newsAt - moment);
  }

  /** How long after {@code moment} its stream ended, if it did. */
  synchronized Duration noticedAfter(long moment) {
    return Duration.ofNanos(noticedAt - moment);
  }

  /** How long after {@code moment} the stream with the news was admitted, if it is another. */
  synchronized Duration openedAfter(long moment) {
    return Duration.ofNanos(openedAt - moment);
  }

  /** The longest time without a change is measured from here on. */
  synchronized void beginPeriod() {
    changedAt = System.nanoTime();
    longestGap = 0;
  }

  synchronized Duration longestGap() {
    return Duration.ofNanos(Math.max(longestGap, System.nanoTime() - changedAt));
  }

  /** Streams that ended, and attempts that failed, so far. */
  synchronized long interruptions() {
    return interruptions;
  }

  /** So far. The first snapshot is none. */
  synchronized Faults faults() {
    return new Faults(missed, twice, Math.max(0, snapshots - 1), netEffects, ended);
  }
}
