package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Proofs against a model of an apiserver with a random history: creations, changes, deletions,
 * re-creations, objects that live for a moment only, deletions of several objects at one version,
 * changes of other types, events that arrive late, lists with an object too many or too few or with
 * a uid or a version that is not in the history, and restores: the state and the version go back,
 * and versions are used again. At no moment is a state called proven that differs from the
 * apiserver's, and a wrong list proves nothing.
 *
 * <p>A restore takes longer than the end of a watch takes to be noticed, so that the cache is in
 * doubt before the restored apiserver answers.
 */
final class FreshnessModelTest {
  /** Version that no object ever has. */
  private static final long NEVER = 1_000_000;

  /** Way in which a list of metadata is wrong. */
  private enum Lie {
    ADDED,
    MISSING,
    OTHER_UID,
    OTHER_VERSION
  }

  private static final List<Lie> LIES = List.of(Lie.values());

  /** Lies of all runs: one run has few lists. */
  private static final Set<Lie> TOLD = EnumSet.noneOf(Lie.class);

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final VirtualTime time = new VirtualTime();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final WatchCache cache = writer.cache();
  private final Model apiserver = new Model();
  private int proofs;
  private int proofsAfterRestores;

  /** History of one type at an apiserver. A watch has delivered a part of its events. */
  private final class Model implements Upstream {
    private final List<Event> events = new ArrayList<>();

    /**
     * Objects, as key, uid and version, after each event of a version of the present timeline. The
     * last is the state at that version; a watch of an apiserver, too, passes through the ones
     * before.
     */
    private final TreeMap<Long, List<Set<String>>> states = new TreeMap<>();

    /** The same by the time at which the version began, of all histories. */
    private final TreeMap<Long, List<Set<String>>> times = new TreeMap<>();

    private final Map<String, SampleObject> objects = new TreeMap<>();
    private long version = 10;
    private int delivered;
    private int uids;
    private int restores;

    /** True until the first event of the version. */
    private boolean isUnchanged;

    /** False from a restore until the cache is known to be of the new timeline. */
    private boolean isWatched = true;

    /** True if the last list of metadata was wrong. */
    private boolean lied;

    private record Event(long version, EventType type, SampleObject object) {}

    Model() {
      begin(Set.of());
    }

    /** Begins a version without an event so far. */
    private void begin(Set<String> state) {
      time.advance(Duration.ofMillis(1));
      List<Set<String>> each = new ArrayList<>(List.of(state));
      isUnchanged = true;
      states.put(version, each);
      times.put(time.source().nanoTime(), each);
    }

    private List<Set<String>> present() {
      return states.lastEntry().getValue();
    }

    /** Goes back to the state of an earlier version. The watch of the gateway has ended before. */
    void restore() {
      restores++;
      isWatched = false;
      time.advance(Duration.ofMillis(1));
      cache.proofs().markInDoubt();
      version = Math.max(10, version - random.nextInt(8));
      events.removeIf(event -> event.version > version);
      states.tailMap(version, false).clear();
      objects.clear();
      for (Event event : events) {
        apply(event.type, event.object);
      }
      time.advance(Duration.ofMillis(1));
      times.put(time.source().nanoTime(), present());
    }

    /** The gateway lists, or finds that its state belongs to the history, and watches again. */
    private void watchAgain() {
      Revision head = writer.head();
      long held = Long.parseLong(head.version().digits());
      boolean same = held <= version && stateAt(held).equals(cached());
      if (same && random.nextBoolean()) {
        cache.markComplete(head);
        cache.markTrusted();
        delivered = (int) events.stream().filter(event -> event.version <= held).count();
      } else {
        List<SampleObject> listed = List.copyOf(objects.values());
        Revision next =
            cache.afterList(
                new ResourceVersion(Long.toString(version)),
                StateMap.ofSorted(listed.stream().map(SampleObject::view).toList()),
                same ? HistoryConfidence.IN_DOUBT : HistoryConfidence.LOST);
        cache.publishList(next, cache.now());
        delivered = events.size();
      }
      isWatched = true;
    }

    private Set<String> stateAt(long at) {
      return states.floorEntry(at).getValue().getLast();
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
        record(EventType.ADDED, SampleObject.of("n", name, version).uid("u" + uids++));
      } else if (!name.equals("moment") && random.nextBoolean()) {
        record(EventType.MODIFIED, held.at(version));
      } else {
        record(EventType.DELETED, held.at(version));
      }
    }

    /** Deletes all objects in one transaction, as when a lease of etcd expires. */
    private void deleteAll() {
      nextVersion();
      for (SampleObject each : List.copyOf(objects.values())) {
        record(EventType.DELETED, each.at(version));
      }
    }

    private void nextVersion() {
      List<Set<String>> last = present();
      version++;
      begin(last.getLast());
    }

    private void record(EventType type, SampleObject object) {
      events.add(new Event(version, type, object));
      apply(type, object);
      Set<String> state = new HashSet<>();
      objects.values().forEach(each -> state.add(text(each.view())));
      if (isUnchanged) {
        present().clear();
        isUnchanged = false;
      }
      present().add(state);
    }

    private void apply(EventType type, SampleObject object) {
      if (type == EventType.DELETED) {
        objects.remove(object.name());
      } else {
        objects.put(object.name(), object);
      }
    }

    /**
     * Delivers some events of the watch, or a bookmark after all of them: more than changes make,
     * so that no watch stays behind for a whole run.
     */
    void deliver() {
      if (!isWatched) {
        if (random.nextInt(4) == 0) {
          watchAgain();
        }
        return;
      }
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
        if (random.nextInt(40) == 0) {
          restore();
        } else if (random.nextBoolean()) {
          change();
        } else {
          deliver();
        }
      }
    }

    @Override
    public ListOutcome listMetadata(ItemSink sink) {
      pass();
      List<SampleObject> items = new ArrayList<>(objects.values());
      lied = random.nextInt(4) == 0;
      if (lied) {
        falsify(items);
      }
      items.forEach(object -> sink.item(object.bytes()));
      String listed = Long.toString(version);
      pass();
      return new Listed(listed);
    }

    /**
     * Makes a list wrong in one object. Only an object that is cached as it is can be left out: a
     * list without an object whose event is late would be a correct one of an earlier version.
     */
    private void falsify(List<SampleObject> items) {
      Set<String> cached = cached();
      List<SampleObject> held =
          items.stream().filter(each -> cached.contains(text(each.view()))).toList();
      Lie lie = held.isEmpty() ? Lie.ADDED : LIES.get(random.nextInt(LIES.size()));
      TOLD.add(lie);
      if (lie == Lie.ADDED) {
        items.add(SampleObject.of("n", "never", version));
        return;
      }
      SampleObject one = held.get(random.nextInt(held.size()));
      int at = items.indexOf(one);
      switch (lie) {
        case ADDED -> throw new AssertionError(lie);
        case MISSING -> items.remove(at);
        case OTHER_UID -> items.set(at, one.uid("never"));
        case OTHER_VERSION -> items.set(at, one.at(NEVER));
      }
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
   * Checks every claim about the head: to be proven as of a time, and to have reached a version.
   * Versions of another timeline than the apiserver's mean nothing.
   */
  private void check() {
    assertThat(since(apiserver.times, provenAt()))
        .as("seed %d, proven as of %d", seed, provenAt())
        .contains(cached());
    if (!apiserver.isWatched) {
      return;
    }
    long claimed = 10;
    for (long version = 10; version <= apiserver.version + 20; version++) {
      if (cache.proofs().hasReached(new ResourceVersion(Long.toString(version)))) {
        claimed = version;
      }
    }
    assertThat(claimed).as("seed %d, claimed version", seed).isLessThanOrEqualTo(apiserver.version);
    assertThat(since(apiserver.states, claimed))
        .as("seed %d, proven at version %d", seed, claimed)
        .contains(cached());
  }

  /** Returns the states from a version or time on. */
  private static List<Set<String>> since(NavigableMap<Long, List<Set<String>>> states, long from) {
    Map.Entry<Long, List<Set<String>>> first = states.floorEntry(from);
    List<Set<String>> since = new ArrayList<>();
    if (first == null || first.getKey() == from) {
      states.tailMap(from, true).values().forEach(since::addAll);
    } else {
      since.add(first.getValue().getLast());
      states.tailMap(from, false).values().forEach(since::addAll);
    }
    return since;
  }

  private long provenAt() {
    return time.source().nanoTime() - cache.proofs().stalenessNanos();
  }

  @AfterAll
  static void assertAllLiesTold() {
    assertThat(TOLD).containsAll(LIES);
  }

  @RepeatedTest(100)
  void provenState_isApiserversStateOfThatTime() throws Exception {
    writer.list(10, List.of());
    for (int step = 0; step < 300; step++) {
      apiserver.pass();
      check();
      if (random.nextBoolean()) {
        long asked = time.source().nanoTime();
        apiserver.lied = false;
        if (prove() instanceof Freshness.Proven(ResourceVersion version)) {
          proofs++;
          assertThat(apiserver.lied && version.isAfter(writer.head().version()))
              .as("seed %d, proven equal to a wrong list", seed)
              .isFalse();
          proofsAfterRestores += apiserver.restores > 0 ? 1 : 0;
          assertThat(provenAt()).as("seed %d", seed).isGreaterThanOrEqualTo(asked);
        }
        check();
      }
    }
    assertThat(proofs).as("seed %d", seed).isPositive();
    assertThat(proofsAfterRestores).as("seed %d", seed).isPositive();
  }

  private Freshness prove() throws InterruptedException {
    return new FreshnessProof(
            apiserver,
            new VersionProbe(
                apiserver, cache, CacheMetrics.NONE, (latch, wait) -> {}, new CountDownLatch(1)),
            cache,
            new FreshnessProofSettings(
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
