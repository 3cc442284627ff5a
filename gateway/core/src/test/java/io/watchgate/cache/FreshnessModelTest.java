package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Proofs against a model of an apiserver with a random history: creations, changes, deletions,
 * re-creations, objects that live for a moment only, deletions of several objects at one version,
 * changes of other types, events that arrive late, and lists with an object that is not in the
 * history. At no moment is a state called proven that differs from the apiserver's.
 */
final class FreshnessModelTest {
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final VirtualTime time = new VirtualTime();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final WatchCache cache = writer.cache();
  private final Model apiserver = new Model();
  private int proofs;

  /** History of one type at an apiserver. A watch has delivered a part of its events. */
  private final class Model implements Upstream {
    private final List<Event> events = new ArrayList<>();

    /**
     * Objects, as key, uid and version, after each event of a version. The last is the state at
     * that version; a watch of an apiserver, too, passes through the ones before.
     */
    private final TreeMap<Long, List<Set<String>>> states = new TreeMap<>();

    /** Present versions of the whole cluster by the time at which they began. */
    private final TreeMap<Long, Long> versions = new TreeMap<>();

    private final Map<String, SampleObject> objects = new TreeMap<>();
    private long version = 10;
    private int delivered;
    private int uids;

    private record Event(long version, EventType type, SampleObject object) {}

    Model() {
      states.put(version, List.of(Set.of()));
      versions.put(0L, version);
    }

    void change() {
      switch (random.nextInt(5)) {
        case 0 -> { // of an object that lives for a moment only
          change("moment");
          change("moment");
        }
        case 1 -> nextVersion(); // of another type
        case 2 -> deleteAll();
        default -> change("o" + random.nextInt(3));
      }
    }

    private void change(String name) {
      nextVersion();
      SampleObject held = objects.get(name);
      if (held == null) {
        record(EventType.ADDED, SampleObject.of("n", name, version).uid("u" + uids++), name);
      } else if (!name.equals("moment") && random.nextBoolean()) {
        record(EventType.MODIFIED, held.at(version), name);
      } else {
        record(EventType.DELETED, held.at(version), name);
      }
    }

    /** Deletes all objects in one transaction, as when a lease of etcd expires. */
    private void deleteAll() {
      nextVersion();
      for (SampleObject each : List.copyOf(objects.values())) {
        record(EventType.DELETED, each.at(version), each.view().name());
      }
    }

    private void nextVersion() {
      version++;
      time.advance(Duration.ofMillis(1));
      versions.put(time.source().nanoTime(), version);
    }

    private void record(EventType type, SampleObject object, String name) {
      events.add(new Event(version, type, object));
      if (type == EventType.DELETED) {
        objects.remove(name);
      } else {
        objects.put(name, object);
      }
      Set<String> state = new HashSet<>();
      objects.values().forEach(each -> state.add(text(each.view())));
      states.computeIfAbsent(version, _ -> new ArrayList<>()).add(state);
    }

    /**
     * Delivers some events of the watch, or a bookmark after all of them: more than changes make,
     * so that no watch stays behind for a whole run.
     */
    void deliver() {
      int count = random.nextInt(4);
      for (int i = 0; i < count; i++) {
        if (delivered == events.size()) {
          if (random.nextInt(8) == 0) {
            writer.bookmark(version);
          }
          return;
        }
        Event next = events.get(delivered++);
        writer.event(next.type, next.object);
      }
    }

    /** Time passes in which anything may happen, also while a request is under way. */
    void pass() {
      for (int i = random.nextInt(4); i > 0; i--) {
        if (random.nextBoolean()) {
          change();
        } else {
          deliver();
        }
      }
    }

    @Override
    public ListOutcome listMetadata(ItemSink sink) {
      pass();
      objects.values().forEach(object -> sink.item(object.bytes()));
      if (random.nextInt(6) == 0) {
        sink.item(SampleObject.of("n", "never", version).bytes());
      }
      String listed = Long.toString(version);
      pass();
      return new Listed(listed);
    }

    @Override
    public ListOutcome probe() {
      pass();
      String listed = Long.toString(version);
      pass();
      return new Listed(listed);
    }

    @Override
    public WatchOutcome watchBriefly(String from, Duration duration, WatchSink sink) {
      pass();
      long until = version;
      for (Event event : sent(Long.parseLong(from), until)) {
        ScriptedUpstream.send(sink, event.type, event.object);
        pass();
      }
      sink.bookmark(Long.toString(until), BookmarkKind.PROGRESS);
      pass();
      return new WatchOutcome(null);
    }

    private List<Event> sent(long after, long until) {
      return events.stream()
          .filter(event -> event.version > after && event.version <= until)
          .toList();
    }

    @Override
    public ListOutcome list(ItemSink sink) {
      throw new AssertionError("not for a proof");
    }

    @Override
    public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
      throw new AssertionError("not for a proof");
    }

    @Override
    public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
      throw new AssertionError("not for a proof");
    }

    @Override
    public WatchOutcome watch(String resourceVersion, WatchSink sink) {
      throw new AssertionError("not for a proof");
    }

    @Override
    public void interrupt() {
      throw new AssertionError("a proof interrupts no watch");
    }

    @Override
    public void close() {}
  }

  private static String text(KubeObject object) {
    return object + " " + object.uid();
  }

  private Set<String> cached() {
    Set<String> objects = new HashSet<>();
    StateCursor all = writer.head().state().cursor(KeyRange.ALL);
    for (KubeObject object = all.peek(); object != null; object = all.peek()) {
      objects.add(text(object));
      all.advance();
    }
    return objects;
  }

  /**
   * Checks every claim about the head: to have reached a version, and to be proven as of a time.
   */
  private void check() {
    long claimed = apiserver.versions.floorEntry(provenAt()).getValue();
    for (long version = 10; version <= apiserver.version; version++) {
      if (cache.hasReached(new ResourceVersion(Long.toString(version)))) {
        claimed = Math.max(claimed, version);
      }
    }
    Map.Entry<Long, List<Set<String>>> last = apiserver.states.floorEntry(claimed);
    List<Set<String>> states = new ArrayList<>();
    if (last.getKey() == claimed) {
      states.addAll(last.getValue());
    } else {
      states.add(last.getValue().getLast());
    }
    apiserver.states.tailMap(claimed, false).values().forEach(states::addAll);
    assertThat(states).as("seed %d, proven at version %d", seed, claimed).contains(cached());
  }

  private long provenAt() {
    return time.source().nanoTime() - cache.stalenessNanos();
  }

  @RepeatedTest(50)
  void provenState_isApiserversStateOfThatTime() throws Exception {
    writer.list(10, List.of());
    for (int step = 0; step < 300; step++) {
      apiserver.pass();
      check();
      if (random.nextBoolean()) {
        long asked = time.source().nanoTime();
        if (prove() instanceof Freshness.Proven) {
          proofs++;
          assertThat(provenAt()).as("seed %d", seed).isGreaterThanOrEqualTo(asked);
        }
        check();
      }
    }
    assertThat(proofs).as("seed %d", seed).isPositive();
  }

  private Freshness prove() throws InterruptedException {
    return new FreshnessProof(
            apiserver,
            new VersionProbe(
                apiserver, cache, CacheMetrics.NONE, (latch, wait) -> {}, new CountDownLatch(1)),
            cache,
            new CacheSettings.Freshness(
                random.nextBoolean() ? 100 : 0,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO),
            (latch, wait) -> {},
            new CountDownLatch(1),
            CacheMetrics.NONE)
        .prove();
  }
}
