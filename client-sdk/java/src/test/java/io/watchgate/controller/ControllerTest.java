package io.watchgate.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.informer.InformerProblem;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;
import io.watchgate.testing.FakeGateway;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that each object is finally reconciled in its current state, whatever happens. */
final class ControllerTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final RetryPolicy SOON =
      new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(10), 1_000, 100);

  private final FakeGateway gateway = FakeGateway.start();
  private final Map<String, String> seen = new ConcurrentHashMap<>();
  private WatchClient client;
  private Informer<ByteString> pods;

  @BeforeEach
  void begin() throws Exception {
    client = WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build();
    gateway.put("shop", "web", "1");
    pods = Informer.of(client, "pods", Decoder.raw()).start();
    pods.awaitSynced(LIMIT);
  }

  @AfterEach
  void end() {
    client.close();
    gateway.close();
  }

  private Result look(NamespacedName key) {
    seen.put(
        key.toString(),
        pods.snapshot().get(key).map(pod -> pod.value().toStringUtf8()).orElse("gone"));
    return Result.done();
  }

  @Test
  void object_isReconciledOnAddChangeAndDelete() throws Exception {
    try (Controller controller = Controller.of(this::look).watch(pods)) {
      controller.start(2, client.executor());
      await().until(() -> Map.of("shop/web", "1").equals(seen));
      gateway.put("shop", "web", "2");
      gateway.put("shop", "db", "1");
      await().until(() -> Map.of("shop/web", "2", "shop/db", "1").equals(seen));
      gateway.delete("shop", "db");
      await().until(() -> Map.of("shop/web", "2", "shop/db", "gone").equals(seen));
    }
  }

  @Test
  void error_endsNeitherWorkerNorKey() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Reconciler broken =
        key -> {
          if (attempts.incrementAndGet() < 3) {
            throw new StackOverflowError("on purpose");
          }
          return look(key);
        };
    try (Controller controller = Controller.of(broken, SOON).watch(pods)) {
      controller.start(2, client.executor());
      await().until(() -> Map.of("shop/web", "1").equals(seen));
    }
    assertThat(attempts).hasValue(3);
  }

  @Test
  void failedKey_isRetriedUntilSuccess() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Reconciler flaky =
        key -> {
          if (attempts.incrementAndGet() < 4) {
            throw new IllegalStateException("not yet");
          }
          return look(key);
        };
    try (Controller controller = Controller.of(flaky, SOON).watch(pods)) {
      controller.start(1, client.executor());
      await().until(() -> !seen.isEmpty());
      assertThat(attempts).hasValue(4);
      await().until(() -> controller.queue().failureCount(new NamespacedName("shop", "web")) == 0);
    }
  }

  @Test
  void requeueAfter_reconcilesWithoutChange() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    Reconciler waiting =
        key -> looks.incrementAndGet() < 3 ? Result.requeueAfter(Duration.ofMillis(2)) : look(key);
    try (Controller controller = Controller.of(waiting).watch(pods)) {
      controller.start(1, client.executor());
      await().until(() -> !seen.isEmpty());
      assertThat(looks).hasValue(3);
    }
  }

  @Test
  void mappedObjects_reconcileTheirKeys() throws Exception {
    Reconciler owners =
        key -> {
          seen.put(key.toString(), "looked at");
          return Result.done();
        };
    try (Controller controller =
        Controller.of(owners)
            .watch(
                pods, pod -> List.of(new NamespacedName("owners", pod.value().toStringUtf8())))) {
      controller.start(1, client.executor());
      await().until(() -> seen.containsKey("owners/1"));
      gateway.put("shop", "web", "2");
      await().until(() -> seen.containsKey("owners/2"));
    }
  }

  @Test
  void close_waitsForRunningReconciliations() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    List<String> events = new CopyOnWriteArrayList<>();
    Controller controller =
        Controller.of(
                key -> {
                  begun.countDown();
                  release.await();
                  events.add("reconciled");
                  return Result.done();
                })
            .watch(pods);
    controller.start(1, client.executor());
    begun.await();
    Thread closing =
        new Thread(
            () -> {
              controller.close();
              events.add("closed");
            });
    closing.start();
    await().until(() -> closing.getState() == Thread.State.WAITING);
    release.countDown();
    closing.join();

    assertThat(events).containsExactly("reconciled", "closed");
    assertThatThrownBy(() -> controller.start(1, client.executor()))
        .isInstanceOf(IllegalStateException.class);
  }

  /** Nothing may release the key a second time: it may be another worker's by then. */
  @Test
  void endlessRequeue_isSuccess() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Controller controller =
        Controller.of(
                key -> {
                  calls.incrementAndGet();
                  return Result.requeueAfter(ChronoUnit.FOREVER.getDuration());
                },
                SOON)
            .watch(pods)) {
      controller.start(2, client.executor());
      await().until(() -> calls.get() == 1 && controller.queue().delayedCount() == 1);
      gateway.put("shop", "web", "2");
      await().until(() -> calls.get() == 2);

      assertThat(controller.queue().failureCount(new NamespacedName("shop", "web"))).isZero();
    }
    assertThat(calls).hasValue(2);
  }

  @SuppressWarnings("NullAway") // as a program without it
  @Test
  void resultNull_isFailure() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Controller controller =
        Controller.of(key -> calls.incrementAndGet() < 3 ? null : Result.done(), SOON)
            .watch(pods)) {
      controller.start(2, client.executor());
      await().until(() -> calls.get() == 3);
    }
    assertThat(calls).hasValue(3);
  }

  @Test
  void close_byReconciler_doesNotWaitForIt() throws Exception {
    AtomicReference<Controller> self = new AtomicReference<>();
    CompletableFuture<String> closed = new CompletableFuture<>();
    self.set(
        Controller.of(
                key -> {
                  self.get().close();
                  closed.complete("closed");
                  return Result.done();
                })
            .watch(pods));
    self.get().start(2, client.executor());

    assertThat(closed).succeedsWithin(LIMIT);
    self.get().close();
  }

  @Test
  void close_workersNeverRan_returns() {
    Controller controller = Controller.of(this::look).watch(pods);
    List<Runnable> neverRun = new CopyOnWriteArrayList<>();
    controller.start(2, neverRun::add);
    assertThat(CompletableFuture.runAsync(controller::close)).succeedsWithin(LIMIT);
    neverRun.forEach(Runnable::run);

    assertThat(seen).isEmpty();
  }

  // ---- mapping functions

  private static final NamespacedName WEB = new NamespacedName("", "web");

  private static Collection<NamespacedName> owner(StoredObject<StringBuilder> pod) {
    return switch (pod.value().toString()) {
      case "throws" -> throw new AssertionError("on purpose");
      case "null inside" -> Arrays.asList(null, WEB);
      default -> List.of(new NamespacedName("", pod.value().toString()));
    };
  }

  /** Checks the keys that each step queues. */
  private void assertLeadsTo(Controller controller, String... names) throws Exception {
    Set<String> found = new TreeSet<>();
    for (int i = 0; i < names.length; i++) {
      NamespacedName key = controller.queue().take().orElseThrow();
      found.add(key.name());
      controller.queue().succeeded(key);
    }
    assertThat(found).containsExactlyInAnyOrder(names);
    assertThat(controller.queue().readyCount()).isZero();
  }

  private Informer<StringBuilder> owned(List<InformerProblem> problems) {
    return Informer.of(client, "pods", json -> new StringBuilder(json.toStringUtf8()))
        .onProblem(problems::add)
        .start();
  }

  @Test
  void throwingMapping_losesNoOtherKey() throws Exception {
    List<InformerProblem> problems = new CopyOnWriteArrayList<>();
    gateway.put("shop", "web", "throws");
    try (Informer<StringBuilder> informer = owned(problems);
        Controller controller = Controller.of(this::look).watch(informer, ControllerTest::owner)) {
      informer.awaitSynced(LIMIT);
      gateway.put("shop", "web", "a");
      assertLeadsTo(controller, "a");
      gateway.put("shop", "web", "throws");
      assertLeadsTo(controller, "a");
      gateway.put("shop", "web", "b");
      assertLeadsTo(controller, "a", "b");
      gateway.put("shop", "web", "null inside");
      assertLeadsTo(controller, "b", "web");
      gateway.put("shop", "web", "throws");
      assertLeadsTo(controller, "b", "web");
      gateway.delete("shop", "web");
      assertLeadsTo(controller, "b", "web");
      await().until(() -> problems.size() == 5);
      assertThat(problems)
          .allSatisfy(
              each ->
                  assertThat(each)
                      .isInstanceOfSatisfying(
                          InformerProblem.HandlerFailed.class,
                          failed ->
                              assertThat(failed.key())
                                  .contains(new NamespacedName("shop", "web"))));
    }
  }

  @Test
  void modifiedObject_reconcilesItsPreviousKeys() throws Exception {
    gateway.put("shop", "web", "a");
    try (Informer<StringBuilder> informer = owned(new CopyOnWriteArrayList<>());
        Controller controller = Controller.of(this::look).watch(informer, ControllerTest::owner)) {
      informer.awaitSynced(LIMIT);
      assertLeadsTo(controller, "a");
      informer.snapshot().get("shop", "web").orElseThrow().value().replace(0, 1, "changed");
      gateway.put("shop", "web", "b");
      assertLeadsTo(controller, "a", "b");
    }
  }
}
