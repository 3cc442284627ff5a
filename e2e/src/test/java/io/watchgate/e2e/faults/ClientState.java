package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * State of a client by the rules at the top of watch.proto, over one or several streams, with the
 * violations of these rules. Synchronized: one thread writes, another reads.
 */
public final class ClientState {
  private final Map<String, WatchEvent> held = new TreeMap<>();
  private final Map<String, WatchEvent> collected = new TreeMap<>();
  private final List<WatchEvent> group = new ArrayList<>();
  private final List<WatchEvent> changes = new ArrayList<>();
  private final List<String> signals = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private BigInteger position = BigInteger.ZERO;
  private BigInteger newestChange = BigInteger.ZERO;
  private Mode mode = Mode.CHANGES;

  private enum Mode {
    CHANGES,
    SNAPSHOT,
    NET_EFFECT
  }

  /** Begins a stream; an incomplete part of the last stream is dropped. */
  synchronized void begin() {
    mode = Mode.CHANGES;
    collected.clear();
    group.clear();
  }

  synchronized void take(ListAndWatchResponse response) {
    if (response.getResumeToken().isEmpty() != response.getResourceVersion().isEmpty()) {
      violations.add("a token without version, or the reverse: " + response);
    }
    response.getEventsList().forEach(this::take);
    if (!response.getResourceVersion().isEmpty()) {
      reached(new BigInteger(response.getResourceVersion()));
    }
    signal(response);
  }

  private void take(WatchEvent event) {
    switch (mode) {
      case SNAPSHOT -> {
        if (event.getType() != EventType.EVENT_TYPE_ADDED
            || collected.put(key(event), event) != null) {
          violations.add("in a snapshot: " + line(event));
        }
      }
      case NET_EFFECT -> group.add(event);
      case CHANGES -> {
        BigInteger version = new BigInteger(event.getResourceVersion());
        if (version.compareTo(newestChange) <= 0) {
          violations.add(line(event) + " after one of version " + newestChange);
        }
        newestChange = version;
        apply(event);
      }
    }
  }

  private void apply(WatchEvent event) {
    changes.add(event);
    WatchEvent before = held.get(key(event));
    boolean same = before != null && before.getKey().getUid().equals(event.getKey().getUid());
    if (same == (event.getType() == EventType.EVENT_TYPE_ADDED)) {
      violations.add(line(event) + (before == null ? ", which was not held" : ", which was held"));
    }
    if (event.getType() == EventType.EVENT_TYPE_DELETED) {
      held.remove(key(event));
    } else {
      held.put(key(event), event);
    }
  }

  private void reached(BigInteger version) {
    if (version.compareTo(position) < 0) {
      violations.add("position " + version + " after " + position);
    }
    position = version;
    newestChange = newestChange.max(version);
    if (mode == Mode.NET_EFFECT) {
      mode = Mode.CHANGES;
      group.forEach(this::apply);
      group.clear();
    }
  }

  private void signal(ListAndWatchResponse response) {
    switch (response.getSignalCase()) {
      case OPENED -> signals.add("OPENED");
      case RESUMED -> signals.add("RESUMED");
      case SNAPSHOT_STARTED -> {
        String reason = response.getSnapshotStarted().getReason().name();
        signals.add(reason.replace("_REASON_", " "));
        mode = Mode.SNAPSHOT;
        collected.clear();
        if (reason.endsWith("HISTORY_LOST") || reason.endsWith("TYPE_CHANGED")) {
          position = BigInteger.ZERO;
          newestChange = BigInteger.ZERO;
        }
      }
      case SYNCED -> {
        if (response.getSynced().getObjects() != collected.size()) {
          violations.add("synced at " + collected.size() + ", not " + response.getSynced());
        }
        held.clear();
        held.putAll(collected);
        collected.clear();
        mode = Mode.CHANGES;
        signals.add("SYNCED");
      }
      case NET_EFFECT_STARTED -> {
        signals.add(response.getNetEffectStarted().getReason().name().replace("_REASON_", " "));
        mode = Mode.NET_EFFECT;
      }
      case GOING_AWAY ->
          signals.add(response.getGoingAway().getReason().name().replace("_REASON_", " "));
      case BOOKMARK, SIGNAL_NOT_SET -> {}
    }
  }

  private static String key(WatchEvent event) {
    return event.getKey().getNamespace() + "/" + event.getKey().getName();
  }

  private static String line(WatchEvent event) {
    return event.getType().name().replace("EVENT_TYPE_", "")
        + " "
        + key(event)
        + " of version "
        + event.getResourceVersion();
  }

  /** Returns the state: {@code namespace/name} and the object. */
  public synchronized Map<String, JsonNode> state() {
    Map<String, JsonNode> state = new TreeMap<>();
    held.forEach((key, event) -> state.put(key, Json.parse(event.getObject().toByteArray())));
    return state;
  }

  /** Returns the events outside snapshots, including those of net effects. */
  public synchronized List<WatchEvent> changes() {
    return List.copyOf(changes);
  }

  /** Returns these events as {@code ADDED namespace/name}. */
  public synchronized List<String> story() {
    return changes.stream().map(event -> line(event).replaceFirst(" of version .*", "")).toList();
  }

  /** Returns the values of {@code /data/value} of a config map, change by change. */
  public synchronized List<Integer> values(String key) {
    return changes.stream()
        .filter(event -> key(event).equals(key))
        .filter(event -> event.getType() != EventType.EVENT_TYPE_DELETED)
        .map(event -> Json.parse(event.getObject().toByteArray()).at("/data/value").asInt())
        .toList();
  }

  /**
   * Reports whether a change of a config map had a {@code /data/value} of at least this. Unlike a
   * comparison with {@link #values}, it holds also if a relist or net effects left this value out.
   */
  public synchronized boolean hasReached(String key, int value) {
    return values(key).stream().anyMatch(one -> one >= value);
  }

  /**
   * Returns all signals but bookmarks: {@code OPENED}, {@code SNAPSHOT REQUESTED}, {@code SYNCED}.
   */
  public synchronized List<String> signals() {
    return List.copyOf(signals);
  }

  /** Returns the violations of the rules. */
  public synchronized List<String> violations() {
    return List.copyOf(violations);
  }
}
