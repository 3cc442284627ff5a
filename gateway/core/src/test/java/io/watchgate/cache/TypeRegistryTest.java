package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.json.FieldPaths;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of opening and closing types upstream. The tests run the reflectors' threads by hand. */
final class TypeRegistryTest {
  private static final Duration UNUSED = Duration.ofMinutes(5);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final List<Runnable> reflectors = new ArrayList<>();

  private TypeRegistry registry(Duration unusedAfter) {
    return registry(CacheWriter.settings().withUnusedAfter(unusedAfter));
  }

  private TypeRegistry registry(CacheSettings settings) {
    return new TypeRegistry(
        upstream,
        settings,
        time.source(),
        time,
        task -> {
          reflectors.add(task);
          return new Thread(() -> {});
        },
        definition -> FieldPaths.NONE,
        type -> CacheMetrics.NONE);
  }

  @Test
  void firstLease_opensTypeOnce() {
    TypeRegistry registry = registry(UNUSED);
    assertThat(registry.find(CacheWriter.TYPE)).isNull();

    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    TypeLease second = registry.acquire(CacheWriter.DEFINITION);

    assertThat(second.cache()).isSameAs(first.cache()).isSameAs(registry.find(CacheWriter.TYPE));
    assertThat(reflectors).hasSize(1);
  }

  /** A client may list a type without other readers a thousand times a second. */
  @Test
  void repeatedLeases_leaveOneTask() {
    TypeRegistry registry = registry(UNUSED);
    for (int i = 0; i < 1_000; i++) {
      registry.acquire(CacheWriter.DEFINITION).close();
    }
    assertThat(time.waitingTasks()).isOne();
  }

  @Test
  void lastRelease_closesTypeAfterDelay() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    TypeLease second = registry.acquire(CacheWriter.DEFINITION);
    first.close();
    first.close(); // a lease counts once
    time.advance(UNUSED.multipliedBy(2));
    assertThat(upstream.closed).isZero();

    second.close();
    time.advance(UNUSED.minusNanos(1));
    assertThat(upstream.closed).isZero();
    assertThat(registry.caches()).hasSize(1);

    time.advance(Duration.ofNanos(1));
    assertThat(upstream.closed).isEqualTo(1);
    assertThat(registry.caches()).isEmpty();
  }

  @Test
  void leaseDuringDelay_keepsTypeOpen() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    first.close();
    time.advance(UNUSED.minusSeconds(1));

    TypeLease second = registry.acquire(CacheWriter.DEFINITION);
    assertThat(second.cache()).isSameAs(first.cache());
    second.close();
    time.advance(UNUSED.minusSeconds(1));
    assertThat(upstream.closed).isZero();

    time.advance(Duration.ofSeconds(1));
    assertThat(upstream.closed).isEqualTo(1);
  }

  @Test
  void leaseDuringClose_opensNewType() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    first.close();
    time.advance(UNUSED);

    TypeLease second = registry.acquire(CacheWriter.DEFINITION); // the old thread still runs
    reflectors.getFirst().run(); // and ends now

    assertThat(first.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.CLOSED);
    assertThat(second.cache()).isNotSameAs(first.cache());
    assertThat(second.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.LOADING);
    assertThat(registry.find(CacheWriter.TYPE)).isSameAs(second.cache());
  }

  @Test
  void endedType_isReopenedOnNextLease() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    upstream.listing(sink -> new Upstream.Listed("no number"));
    reflectors.getFirst().run();
    assertThat(first.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.UNORDERED);
    assertThat(registry.caches()).isEmpty();

    TypeLease second = registry.acquire(CacheWriter.DEFINITION);
    assertThat(second.cache()).isNotSameAs(first.cache());

    first.close(); // the lease of the old one does not close the new one
    time.advance(UNUSED.multipliedBy(2));
    assertThat(registry.find(CacheWriter.TYPE)).isSameAs(second.cache());
  }

  private static TypeDefinition told(
      String kind, String uid, List<String> fields, String... names) {
    return new TypeDefinition(
        new ApiResource("x.io", "v1", "widgets", kind, ApiResource.Scope.NAMESPACED),
        names[0],
        List.of(names),
        List.of("list", "watch", names[0]),
        uid,
        fields);
  }

  /** Two apiservers in the middle of an upgrade report a type like this. */
  @Test
  void detailsThatDiffer_shareOneListWatch() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(told("Widget", "uid-1", List.of("a", "b"), "w", "wg"));
    TypeLease second = registry.acquire(told("Gadget", "uid-1", List.of("b"), "g"));
    TypeLease third = registry.acquire(told("Widget", "uid-1", List.of("b", "a"), "wg"));

    assertThat(second.cache()).isSameAs(first.cache());
    assertThat(third.cache()).isSameAs(first.cache());
    assertThat(reflectors).hasSize(1);
    assertThat(registry.caches()).hasSize(1);
    assertThat(registry.find(told("", "", List.of(), "x").type())).isSameAs(first.cache());
  }

  @Test
  void newSelectableField_reopensTypeWithFieldsOfBoth() {
    TypeRegistry registry = registry(UNUSED);
    TypeDefinition few = told("Widget", "uid-1", List.of("a"), "w");
    TypeDefinition other = told("Widget", "uid-1", List.of("b"), "w");
    TypeLease first = registry.acquire(few);
    TypeLease second = registry.acquire(other);
    reflectors.getFirst().run(); // the closed one

    assertThat(first.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.CLOSED);
    assertThat(second.cache().definition().selectableFields()).containsExactly("b", "a");
    for (TypeDefinition each : List.of(few, other, few)) {
      assertThat(registry.acquire(each).cache()).isSameAs(second.cache());
    }
    assertThat(reflectors).hasSize(2);

    first.close(); // the lease of the old one does not close the new one
    time.advance(UNUSED.multipliedBy(2));
    assertThat(registry.caches()).containsExactly(second.cache());
  }

  @Test
  void otherUidOrScope_isAnotherState() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease first = registry.acquire(told("Widget", "uid-1", List.of(), "w"));
    TypeLease second = registry.acquire(told("Widget", "uid-2", List.of(), "w"));

    assertThat(second.cache()).isNotSameAs(first.cache());
    assertThat(registry.find(first.cache().definition().type()))
        .as("the newest")
        .isSameAs(second.cache());
  }

  /** Also if types stay open for ever: no request asks for a definition that was replaced. */
  @Test
  void unusedEndedType_isRemoved() {
    TypeRegistry registry = registry(Duration.ZERO);
    TypeLease only = registry.acquire(CacheWriter.DEFINITION);
    WeakReference<WatchCache> ended = new WeakReference<>(only.cache());
    only.close();
    upstream.listing(sink -> new Upstream.Listed("no number"));
    reflectors.getFirst().run();
    reflectors.clear();
    registry.acquire(
        new TypeDefinition(
            CacheWriter.TYPE,
            "configmap",
            List.of(),
            List.of("list", "watch"),
            "uid-2",
            List.of()));
    only = null;

    await("it is gone")
        .until(
            () -> {
              System.gc();
              return ended.get() == null;
            });
    assertThat(registry.caches()).hasSize(1);
  }

  /** The threads of a machine may be used up for a moment. */
  @Test
  void typeWithoutThread_isInNoBudget() {
    List<WeakReference<CacheMetrics>> measured = new ArrayList<>();
    TypeRegistry registry =
        new TypeRegistry(
            upstream,
            CacheWriter.settings(),
            time.source(),
            time,
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                },
            definition -> FieldPaths.NONE,
            type -> {
              CacheMetrics metrics = CacheMetricsRecorder.of(new ArrayList<>());
              measured.add(new WeakReference<>(metrics));
              return metrics;
            });

    assertThatThrownBy(() -> registry.acquire(CacheWriter.DEFINITION))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no thread can be started for");

    await("the budget refers to the metrics of its types")
        .until(
            () -> {
              System.gc();
              return measured.getFirst().get() == null;
            });
    assertThat(registry.caches()).isEmpty();
  }

  @Test
  void tooLargeType_isNotListedForAWhile() {
    CacheSettings settings = CacheSettings.forHeap(64 << 10);
    TypeRegistry registry = registry(settings);
    upstream.list(10, SampleObject.of("n", "a", 5).padding(40_000));
    TypeLease first = registry.acquire(CacheWriter.DEFINITION);
    reflectors.getFirst().run();
    assertThat(first.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.TOO_LARGE);
    first.close();

    time.advance(settings.states().refusedFor().minusNanos(1));
    TypeLease refused = registry.acquire(CacheWriter.DEFINITION);
    assertThat(refused.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.TOO_LARGE);
    assertThat(reflectors).hasSize(1);

    time.advance(Duration.ofNanos(1));
    TypeLease reopened = registry.acquire(CacheWriter.DEFINITION);
    assertThat(reopened.cache().upstreamState().phase())
        .isEqualTo(UpstreamState.ReflectorPhase.LOADING);
    assertThat(reflectors).hasSize(2);
  }

  @Test
  void zeroIdleTime_keepsTypeOpen() {
    TypeRegistry registry = registry(Duration.ZERO);
    registry.acquire(CacheWriter.DEFINITION).close();
    time.advance(Duration.ofDays(1));

    assertThat(registry.caches()).hasSize(1);
    assertThat(time.waitingTasks()).as("what is left to do").isZero();
  }

  @Test
  void closedRegistry_closesAllAndOpensNothing() {
    TypeRegistry registry = registry(UNUSED);
    TypeLease lease = registry.acquire(CacheWriter.DEFINITION);

    registry.close();

    assertThat(upstream.closed).isEqualTo(1);
    lease.close();
    assertThat(time.waitingTasks()).isZero();
    assertThatThrownBy(() -> registry.acquire(CacheWriter.DEFINITION))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void droppedManagedFields_areNotCached() {
    SampleObject listed = SampleObject.of("n", "a", 5);
    SampleObject changed = listed.at(11).padding(7);
    upstream
        .list(10, listed, SampleObject.of("n", "b", 6))
        .watch(
            sink -> {
              ScriptedUpstream.send(sink, Upstream.EventType.MODIFIED, changed);
              return new Upstream.WatchOutcome(null);
            });
    TypeRegistry registry = registry(CacheWriter.settings().withoutManagedFields());
    upstream.atEnd(registry::close);

    WatchCache cache = registry.acquire(CacheWriter.DEFINITION).cache();
    reflectors.getFirst().run();

    for (SampleObject object : List.of(changed, SampleObject.of("n", "b", 6))) {
      String whole = object.json();
      assertThat(whole).contains(",\"managedFields\":[{\"manager\":\"m\"}]");
      assertThat(Objects.requireNonNull(cache.head()).state().get(object.view().key()))
          .extracting(held -> new String(held.bytes(), StandardCharsets.UTF_8))
          .isEqualTo(whole.replace(",\"managedFields\":[{\"manager\":\"m\"}]", ""));
    }
  }
}
