package io.watchgate.fanout;

import io.watchgate.select.CompiledSelection;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Streams that have ended, and calls that were refused, in the order of their ends: the last {@link
 * #MAX_ENDED} and {@link #MAX_REFUSED} of all APIs of the process. An entry is usually below 1 KiB,
 * and never above 2.5 KiB: it has six texts from clients, each cut after {@link
 * StreamIdentity#MAX_TEXT} characters, of two bytes each. Thread-safe.
 */
public final class EndedStreams {
  static final int MAX_ENDED = 10_000;
  static final int MAX_REFUSED = 1_000;

  private final Deque<Entry> ended = new ArrayDeque<>();
  private final Deque<Entry> refused = new ArrayDeque<>();

  /**
   * End of a stream.
   *
   * @param time time of the end
   * @param type name of its type; empty if it was refused before the type was known
   * @param watched what it selected; null if it was refused
   * @param reason name of the reason in the contract, or the side that ended it; of a refused read
   *     of the Kubernetes API without such a reason, that of its Status
   */
  public record Entry(
      Instant time,
      StreamIdentity identity,
      String type,
      @Nullable Watched watched,
      String reason,
      long sentBytes) {
    /** Creates the entry of a call that was refused. */
    public Entry(
        Instant time, StreamIdentity identity, String type, String reason, long sentBytes) {
      this(time, identity, type, null, reason, sentBytes);
    }
  }

  /**
   * Selection of a stream that has ended, and what the stream was doing at its end.
   *
   * @param namespaces joined by commas; empty: all
   * @param lastActivity null if it is not known
   */
  public record Watched(
      String namespaces,
      String labels,
      String fields,
      StreamState.@Nullable Activity lastActivity) {

    /** Creates it with texts that may be kept by the thousand. */
    public static Watched of(
        CompiledSelection selection, StreamState.@Nullable Activity lastActivity) {
      return new Watched(
          StreamIdentity.shortened(String.join(",", selection.namespaces())),
          StreamIdentity.shortened(selection.labels().canonical()),
          StreamIdentity.shortened(selection.fields().canonical()),
          lastActivity);
    }
  }

  /** Adds a stream that has ended. */
  public void addEnded(Entry entry) {
    add(ended, entry, MAX_ENDED);
  }

  /** Adds a call that was refused. */
  public void addRefused(Entry entry) {
    add(refused, entry, MAX_REFUSED);
  }

  private static void add(Deque<Entry> entries, Entry entry, int most) {
    Entry kept =
        new Entry(
            entry.time(),
            entry.identity().shortened(),
            entry.type(),
            entry.watched(),
            entry.reason(),
            entry.sentBytes());
    synchronized (entries) {
      if (entries.size() == most) {
        entries.removeLast();
      }
      entries.addFirst(kept);
    }
  }

  /** Returns the streams that have ended, the last one first. */
  public List<Entry> ended() {
    return copy(ended);
  }

  /** Returns how many of the kept streams ended since a time, by their reasons. */
  public Map<String, Integer> endedSince(Instant since) {
    Map<String, Integer> counts = new HashMap<>();
    synchronized (ended) {
      for (Entry entry : ended) {
        if (entry.time().isBefore(since)) {
          break;
        }
        counts.merge(entry.reason(), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** Returns the calls that were refused, the last one first. */
  public List<Entry> refused() {
    return copy(refused);
  }

  private static List<Entry> copy(Deque<Entry> entries) {
    synchronized (entries) {
      return new ArrayList<>(entries);
    }
  }
}
