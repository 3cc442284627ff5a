package io.watchgate.ops.pages;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Record of the latest events between the gateway and the apiserver, such as lists and ends of
 * watches: {@link #MAX_OF_ALL} of all types, {@link #MAX_OF_TYPE} of each. Thread-safe.
 */
public final class UpstreamEvents {
  static final int MAX_OF_ALL = 500;
  static final int MAX_OF_TYPE = 40;

  /** Kind of an event. */
  public enum Kind {
    LIST("list"),
    WATCH_OR_LIST_ENDED("watch or list ended"),
    VERSION_PROBE("version probe"),
    HISTORY_CHECK("history check"),
    SELF_CHECK("self-check"),
    BACKFILL("backfill");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Returns the name of the kind on pages. */
    public String label() {
      return label;
    }
  }

  private final InstantSource clock;
  private final Deque<Event> all = new ArrayDeque<>();
  private final Map<String, Deque<Event>> ofType = new ConcurrentHashMap<>();

  public UpstreamEvents(InstantSource clock) {
    this.clock = clock;
  }

  /** Event of one type: what happened, and the reason or the outcome. */
  record Event(Instant time, String type, Kind kind, String reason) {}

  /** Adds an event of now. */
  public void add(String type, Kind kind, String reason) {
    Event event = new Event(clock.instant(), type, kind, reason);
    add(all, event, MAX_OF_ALL);
    add(ofType.computeIfAbsent(type, name -> new ArrayDeque<>()), event, MAX_OF_TYPE);
  }

  private static void add(Deque<Event> events, Event event, int most) {
    synchronized (events) {
      if (events.size() == most) {
        events.removeLast();
      }
      events.addFirst(event);
    }
  }

  /** Returns the events of all types, the last one first. */
  List<Event> all() {
    return copy(all);
  }

  /** Returns the events of a type, the last one first. */
  List<Event> ofType(String type) {
    Deque<Event> events = ofType.get(type);
    return events == null ? List.of() : copy(events);
  }

  private static List<Event> copy(Deque<Event> events) {
    synchronized (events) {
      return new ArrayList<>(events);
    }
  }
}
