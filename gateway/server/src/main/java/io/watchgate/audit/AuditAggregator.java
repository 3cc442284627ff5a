package io.watchgate.audit;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.proto.v1.ErrorReason;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counters of audit events without a line of their own: denials that repeat within an interval, and
 * events of a caller that has used up its lines. The first of equal denials gets its line at once.
 * The numbers are in {@link AuditSettings}. Thread-safe. The lock is held for two map lookups, and
 * once per tick for an iteration over all counters.
 */
final class AuditAggregator {
  private final AuditSettings settings;
  private final Map<Key, Sum> counters = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Window> windows = new LinkedHashMap<>(16, 0.75f, true);
  private long summarizedEvents;

  AuditAggregator(AuditSettings settings) {
    this.settings = settings;
  }

  /**
   * Key of the events that are summarized together.
   *
   * @param user empty if the caller is not known
   * @param credentials kind of what was presented, if the caller is not known; else empty
   * @param address address of a caller that has no name of its own; else empty, because a user may
   *     have many addresses
   * @param resource empty: of several resources
   */
  // Nine components, since each of them distinguishes events; there is no part to share.
  record Key(
      AuditLog.Event event,
      String user,
      String credentials,
      String address,
      AccessAttributes.Verb verb,
      String group,
      String resource,
      List<String> namespaces,
      ErrorReason reason) {
    Key {
      namespaces = List.copyOf(namespaces);
    }

    private Key ofAllTypes() {
      return new Key(event, user, credentials, address, verb, "", "", List.of(), reason);
    }

    private String caller() {
      return address + " " + user;
    }
  }

  /**
   * Events without a line.
   *
   * @param address address of the last event
   * @param first time of the first event, in milliseconds of the Unix epoch
   * @param last time of the last event, in milliseconds of the Unix epoch
   */
  record Summary(Key key, String address, long count, long first, long last) {}

  /**
   * Result of adding an event.
   *
   * @param line whether the event gets a line
   * @param due summaries to be written now
   */
  record Outcome(boolean line, List<Summary> due) {}

  private static final Outcome LINE = new Outcome(true, List.of());
  private static final Outcome NO_LINE = new Outcome(false, List.of());

  /** Lines of a caller in the current interval. */
  private static final class Window {
    long begin;
    int lines;
  }

  private static final class Sum {
    long begin;
    long count;
    long first;
    long last;
    String address = "";

    Sum(long now) {
      begin = now;
    }

    void count(String from, long now) {
      if (count++ == 0) {
        first = now;
      }
      last = now;
      address = from;
    }

    Summary of(Key key) {
      return new Summary(key, address, count, first, last);
    }
  }

  /**
   * Counts an event.
   *
   * @param now in milliseconds of the Unix epoch
   */
  synchronized Outcome add(Key key, String address, long now) {
    if (settings.interval().isZero()) {
      return LINE;
    }
    boolean denied = key.event() == AuditLog.Event.DENIED;
    if (denied && counters.containsKey(key)) {
      return count(key, address, now);
    }
    if (!takeLine(key.caller(), now)) {
      return count(key.ofAllTypes(), address, now);
    }
    if (!denied) {
      return LINE;
    }
    counters.put(key, new Sum(now));
    return new Outcome(true, evictOverflow());
  }

  private boolean takeLine(String caller, long now) {
    Window window = windows.computeIfAbsent(caller, any -> new Window());
    if (isOver(window.begin, now)) {
      window.begin = now;
      window.lines = 0;
    }
    if (windows.size() > AuditSettings.MAX_CALLERS) {
      var eldest = windows.entrySet().iterator();
      eldest.next();
      eldest.remove();
    }
    return window.lines++ < settings.linesPerCaller();
  }

  private Outcome count(Key key, String address, long now) {
    Sum sum = counters.computeIfAbsent(key, any -> new Sum(now));
    List<Summary> due = List.of();
    if (sum.count > 0 && isOver(sum.begin, now)) {
      due = List.of(sum.of(key));
      sum.count = 0;
      sum.begin = now;
    }
    sum.count(address, now);
    summarizedEvents++;
    List<Summary> early = evictOverflow();
    return due.isEmpty() && early.isEmpty() ? NO_LINE : new Outcome(false, concat(due, early));
  }

  private static List<Summary> concat(List<Summary> one, List<Summary> other) {
    List<Summary> all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  /** Returns whether an interval is over. A clock that was set back ends an interval too. */
  private boolean isOver(long begin, long now) {
    return now < begin || now - begin >= settings.interval().toMillis();
  }

  /** Drops the least recently used counter when there are too many, and returns its summary. */
  private List<Summary> evictOverflow() {
    if (counters.size() <= settings.maxCounters()) {
      return List.of();
    }
    Iterator<Map.Entry<Key, Sum>> eldest = counters.entrySet().iterator();
    Map.Entry<Key, Sum> gone = eldest.next();
    eldest.remove();
    return gone.getValue().count == 0 ? List.of() : List.of(gone.getValue().of(gone.getKey()));
  }

  /**
   * Returns summaries whose interval is over by now. An equal denial after an interval without one
   * gets a line again.
   */
  synchronized List<Summary> drainDue(long now) {
    List<Summary> due = new ArrayList<>();
    Iterator<Map.Entry<Key, Sum>> all = counters.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Sum> entry = all.next();
      Sum sum = entry.getValue();
      if (!isOver(sum.begin, now)) {
        continue;
      }
      if (sum.count == 0) {
        all.remove();
      } else {
        due.add(sum.of(entry.getKey()));
        sum.count = 0;
        sum.begin = now;
      }
    }
    return due;
  }

  /** Returns all summaries, whether their interval is over or not, and drops all counters. */
  synchronized List<Summary> drain() {
    List<Summary> rest =
        counters.entrySet().stream()
            .filter(entry -> entry.getValue().count > 0)
            .map(entry -> entry.getValue().of(entry.getKey()))
            .toList();
    counters.clear();
    return rest;
  }

  /** Returns the number of events so far that got no line of their own. */
  synchronized long summarizedEvents() {
    return summarizedEvents;
  }
}
