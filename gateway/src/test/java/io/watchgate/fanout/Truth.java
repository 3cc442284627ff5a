package io.watchgate.fanout;

import io.watchgate.cache.SampleObject;
import io.watchgate.cache.StateDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Naive model of a cluster: every event and every state, including those before the cluster was
 * restored from a backup.
 */
final class Truth {
  static final List<String> NAMESPACES = List.of("n1", "n2", "n2-x", "n3");

  /** Number of names in each namespace. */
  static final int NAMES = 4;

  /** Maximum, because the remainder of a version identifies its history, see {@link #step}. */
  private static final int MAX_TIMELINES = 4;

  private static final String[] APPS = {"a", "b", "c"};

  private final Random random;
  private final List<Timeline> timelines = new ArrayList<>();
  private final Map<String, SampleObject> everything = new HashMap<>();
  private int uids;

  /** Change of one object; if the uids differ, it was deleted and created again in one version. */
  record Event(long version, String key, @Nullable SampleObject old, @Nullable SampleObject now) {}

  /** Complete state. */
  record State(NavigableMap<String, SampleObject> objects, StateDigest digest) {}

  /** History. That of a restored cluster shares its beginning with the previous one. */
  static final class Timeline {
    final int number;
    final NavigableMap<Long, Event> events = new TreeMap<>();
    final NavigableMap<Long, State> states = new TreeMap<>();

    /** Current version of the cluster; other types have versions too. */
    long now;

    Timeline(int number) {
      this.number = number;
    }

    State at(long version) {
      return states.floorEntry(version).getValue();
    }

    boolean reaches(long version) {
      return version <= now && version >= states.firstKey();
    }
  }

  Truth(Random random) {
    this.random = random;
    Timeline first = new Timeline(0);
    first.now = 10;
    first.states.put(10L, new State(new TreeMap<>(), StateDigest.EMPTY));
    timelines.add(first);
  }

  Timeline current() {
    return timelines.getLast();
  }

  Timeline timeline(int number) {
    return timelines.get(number);
  }

  List<Timeline> timelines() {
    return timelines;
  }

  boolean wasRestored() {
    return timelines.size() > 1;
  }

  /** Returns the object at one of its states. */
  SampleObject object(String key, String uid, String version) {
    SampleObject object = everything.get(key + " " + uid + " " + version);
    if (object == null) {
      throw new AssertionError(key + " " + uid + " never was at version " + version);
    }
    return object;
  }

  /** Makes a random change. */
  void step() {
    Timeline timeline = current();
    if (random.nextInt(6) == 0) {
      timeline.now += random.nextInt(5); // a change of another type
      return;
    }
    long version = timeline.now + 1;
    while (version % MAX_TIMELINES
        != timeline.number) { // so that no version exists in two histories
      version++;
    }
    timeline.now = version;
    String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    String name = "o" + random.nextInt(NAMES);
    String key = namespace + "/" + name;
    State state = timeline.at(version);
    SampleObject old = state.objects().get(key);
    SampleObject now =
        switch (random.nextInt(old == null ? 1 : 10)) {
          case 0 -> object(SampleObject.of(namespace, name, version).uid("u" + uids++));
          case 1, 2 -> null;
          case 3, 4 -> Objects.requireNonNull(old).at(version); // a small change
          default -> object(Objects.requireNonNull(old).at(version));
        };
    NavigableMap<String, SampleObject> objects = new TreeMap<>(state.objects());
    StateDigest digest = state.digest();
    if (old != null) {
      objects.remove(key);
      digest = digest.minus(old.view());
    }
    if (now != null) {
      objects.put(key, now);
      digest = digest.plus(now.view());
      everything.put(key + " " + now.uid() + " " + now.version(), now);
    }
    timeline.events.put(version, new Event(version, key, old, now));
    timeline.states.put(version, new State(objects, digest));
  }

  private SampleObject object(SampleObject object) {
    SampleObject labelled =
        random.nextInt(3) == 0 ? object.app(APPS[random.nextInt(APPS.length)]) : object;
    return labelled.padding() > 0 && random.nextBoolean()
        ? labelled // a patch is small enough
        : labelled.padding(random.nextInt(random.nextInt(10) == 0 ? 6_000 : 200));
  }

  /** Restores the cluster from a backup. */
  void restore() {
    if (timelines.size() == MAX_TIMELINES) {
      return;
    }
    Timeline before = current();
    long first = before.states.firstKey();
    long backup = before.now - random.nextLong(Math.max(1, (before.now - first) / 2));
    Timeline after = new Timeline(before.number + 1);
    after.events.putAll(before.events.headMap(backup, true));
    after.states.putAll(before.states.headMap(backup, true));
    after.now = backup;
    timelines.add(after);
  }
}
