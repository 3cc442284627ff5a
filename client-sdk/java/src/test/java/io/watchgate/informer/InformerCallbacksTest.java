package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.client.WatchClient;
import io.watchgate.testing.FakeGateway;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of callbacks that throw or that modify their arguments. */
@Tag("slow")
final class InformerCallbacksTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final FakeGateway gateway = FakeGateway.start();
  private final List<InformerProblem> problems = new CopyOnWriteArrayList<>();
  private WatchClient client;

  @BeforeEach
  void connect() {
    client = WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build();
  }

  @AfterEach
  void close() {
    client.close();
    gateway.close();
  }

  /** Returns the builder of an informer with mutable objects. */
  private InformerBuilder<StringBuilder> pods() {
    return Informer.of(client, "pods", json -> new StringBuilder(json.toStringUtf8()))
        .onProblem(problems::add);
  }

  private static <T> List<String> names(List<StoredObject<T>> objects) {
    return objects.stream().map(object -> object.key().name()).sorted().toList();
  }

  // ---- modified objects

  @Test
  void objectModifiedByHandler_leavesIndexConsistent() throws Exception {
    gateway.put("", "a", "red");
    gateway.put("", "b", "red");
    Handler<StringBuilder> changing =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<StringBuilder> object) {
            object.value().replace(0, object.value().length(), "changed");
          }
        };
    try (Informer<StringBuilder> informer =
        pods()
            .index("color", object -> List.of(object.value().toString()))
            .handler(changing)
            .start()) {
      informer.awaitSynced(LIMIT);
      await().until(() -> names(informer.snapshot().list(this::isChanged)).size() == 2);
      gateway.put("", "a", "blue");
      gateway.delete("", "b");
      Snapshot<StringBuilder> now = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);

      assertThat(now.indexValues("color")).containsExactly("blue");
      assertThat(names(now.byIndex("color", "blue"))).containsExactly("a");
      assertThat(now.byIndex("color", "red")).isEmpty();
      assertThat(now.byIndex("color", "changed")).isEmpty();
    }
  }

  private boolean isChanged(StoredObject<StringBuilder> object) {
    return object.value().toString().equals("changed");
  }

  // ---- exceptions

  @Test
  void throwingIndexFunction_affectsOnlyItsIndex() throws Exception {
    gateway.put("", "a", "bad");
    gateway.put("", "b", "null");
    gateway.put("", "c", "null inside");
    gateway.put("", "d", "good");
    List<String> added = new CopyOnWriteArrayList<>();
    try (Informer<StringBuilder> informer =
        pods()
            .index("odd", object -> odd(object.value().toString()))
            .index("text", object -> List.of(object.value().toString()))
            .handler(
                new Handler<>() {
                  @Override
                  public void onAdd(StoredObject<StringBuilder> object) {
                    added.add(object.key().name());
                  }
                })
            .start()) {
      informer.awaitSynced(LIMIT);
      await().until(() -> added.size() == 4);
      Snapshot<StringBuilder> first = informer.snapshot();
      assertThat(first.size()).isEqualTo(4);
      assertThat(first.indexValues("odd")).containsExactly("good");
      assertThat(first.indexValues("text"))
          .containsExactlyInAnyOrder("bad", "null", "null inside", "good");
      assertThat(problems)
          .hasSize(3)
          .allSatisfy(each -> assertThat(each).isInstanceOf(InformerProblem.IndexFailed.class))
          .extracting(InformerProblem::text)
          .anySatisfy(
              text ->
                  assertThat(text)
                      .matches(
                          "a at \\d+ is not in the index odd, whose function threw"
                              + " java.lang.AssertionError"));

      gateway.put("", "d", "bad");
      gateway.put("", "a", "good");
      Snapshot<StringBuilder> second = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);
      assertThat(names(second.byIndex("odd", "good"))).containsExactly("a");
      assertThat(names(second.byIndex("text", "bad"))).containsExactly("d");
    }
  }

  @SuppressWarnings("NullAway") // null, as programs without annotations may return
  private static List<String> odd(String text) {
    return switch (text) {
      case "bad" -> throw new AssertionError("on purpose");
      case "null" -> null;
      case "null inside" -> Arrays.asList("x", null);
      default -> List.of(text);
    };
  }

  @Test
  void throwingDecoder_affectsOnlyItsObject() throws Exception {
    gateway.put("", "a", "bad");
    gateway.put("", "b", "good");
    Decoder<String> decoder =
        json -> {
          if (json.toStringUtf8().equals("bad")) {
            throw new AssertionError("on purpose");
          }
          return json.toStringUtf8();
        };
    try (Informer<String> informer =
        Informer.of(client, "pods", decoder).onProblem(problems::add).start()) {
      informer.awaitSynced(LIMIT);
      gateway.put("", "b", "bad");
      gateway.put("", "c", "good");
      Snapshot<String> now = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);

      assertThat(names(now.list())).containsExactly("b", "c");
      assertThat(problems).hasSize(2);
      assertThat(informer.error()).isEmpty();
    }
  }

  @Test
  void handlerThrowingOnDelete_stillReceivesNextAdd() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    List<String> added = new CopyOnWriteArrayList<>();
    Handler<StringBuilder> throwing =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<StringBuilder> object) {
            added.add(object.value().toString());
            try {
              released.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void onDelete(StoredObject<StringBuilder> last, DeletionReason removal) {
            throw new AssertionError("on purpose");
          }
        };
    gateway.put("", "a", "first");
    try (Informer<StringBuilder> informer =
        pods().handler(throwing, HandlerSettings.DEFAULT.conflating()).start()) {
      await().until(() -> added.size() == 1);
      gateway.delete("", "a");
      gateway.put("", "a", "second");
      informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);
      released.countDown();

      await().until(() -> added.equals(List.of("first", "second")));
      assertThat(problems)
          .singleElement()
          .isInstanceOfSatisfying(
              InformerProblem.HandlerFailed.class,
              failed -> assertThat(failed.key()).contains(new NamespacedName("", "a")));
    }
  }

  @Test
  void rejectedTask_delaysOnlyItsHandler() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    List<String> heard = new CopyOnWriteArrayList<>();
    Thread here = Thread.currentThread();
    Executor refusing =
        task -> {
          // The retry comes from another thread. It is rejected, too, until the other handler has
          // been called, which may take longer than the time until the retry.
          boolean isEarlyRetry = !Thread.currentThread().equals(here) && heard.isEmpty();
          if (refused.incrementAndGet() == 1 || isEarlyRetry) {
            throw new RejectedExecutionException("on purpose");
          }
          client.executor().execute(task);
        };
    ProblemListeners problems = new ProblemListeners("test");
    Handlers<String> handlers = new Handlers<>(refusing, problems);
    for (String name : List.of("refused", "other")) {
      handlers.add(
          new Handler<>() {
            @Override
            public void onSynced() {
              heard.add(name);
            }
          },
          HandlerSettings.DEFAULT,
          null);
    }
    handlers.begin(Snapshot.empty(List.of()));

    await().until(() -> heard.equals(List.of("other", "refused")));
  }

  @Test
  void rejectedResync_isFollowedByOthers() throws Exception {
    AtomicInteger rejections = new AtomicInteger();
    AtomicBoolean isAdded = new AtomicBoolean();
    Executor refusing =
        task -> {
          if (isAdded.get() && rejections.incrementAndGet() == 1) {
            throw new RejectedExecutionException("on purpose");
          }
          client.executor().execute(task);
        };
    gateway.put("", "a", "1");
    AtomicInteger resyncs = new AtomicInteger();
    try (WatchClient busy =
            WatchClient.to("fake", 1)
                .transport((host, port) -> gateway.channel())
                .executor(refusing)
                .build();
        Informer<String> informer = Informer.of(busy, "pods", ByteString::toStringUtf8).start()) {
      informer.awaitSynced(LIMIT);
      informer.addHandler(
          new Handler<>() {
            @Override
            public void onAdd(StoredObject<String> object) {
              isAdded.set(true);
            }

            @Override
            public void onUpdate(StoredObject<String> before, StoredObject<String> after) {
              if (rejections.get() > 0) { // a resync before the rejection proves nothing
                resyncs.incrementAndGet();
              }
            }
          },
          HandlerSettings.DEFAULT.resyncingEvery(Duration.ofSeconds(1)));

      await().until(() -> resyncs.get() >= 1 && rejections.get() > 1);
    }
  }

  @Test
  void rejectedTasks_areRetriedByOneTimer() throws Exception {
    AtomicBoolean hasRoom = new AtomicBoolean();
    AtomicInteger refusedHere = new AtomicInteger();
    Thread here = Thread.currentThread();
    Executor refusing =
        task -> {
          if (!hasRoom.get()) {
            if (Thread.currentThread().equals(here)) {
              refusedHere.incrementAndGet();
            }
            throw new RejectedExecutionException("on purpose");
          }
          client.executor().execute(task);
        };
    AtomicInteger resyncs = new AtomicInteger();
    Handlers<String> handlers = new Handlers<>(refusing, new ProblemListeners("test"));
    handlers.add(
        new Handler<>() {
          @Override
          public void onSynced() {
            resyncs.incrementAndGet();
          }
        },
        HandlerSettings.DEFAULT,
        null);
    for (int i = 0; i < 3; i++) {
      handlers.begin(Snapshot.empty(List.of()));
    }
    assertThat(refusedHere).hasValue(1);
    hasRoom.set(true);

    await().until(() -> resyncs.get() == 3);
  }

  @Test
  void failingMeter_affectsNothingElse() throws Exception {
    List<String> removed = new CopyOnWriteArrayList<>();
    MeterFactory throwing =
        meter -> {
          if (meter.name().endsWith("objects")) {
            throw new IllegalStateException("on purpose");
          }
          return () -> {
            removed.add(meter.name());
            throw new AssertionError("on purpose");
          };
        };
    Informer<StringBuilder> informer = pods().meters(throwing).start();
    informer.awaitSynced(LIMIT);
    informer.close();

    assertThat(removed).hasSizeGreaterThan(5).doesNotHaveDuplicates();
    await().until(() -> gateway.streamCount() == 0);
  }

  @Test
  void slowCondition_delaysNoSnapshot() throws Exception {
    try (Informer<StringBuilder> informer = pods().start()) {
      informer.awaitSynced(LIMIT);
      Snapshot<StringBuilder> later =
          informer.await(
              now -> {
                if (now.size() == 0) {
                  gateway.put("", "a", "1");
                  await().until(() -> informer.snapshot().size() == 1);
                }
                return now.size() == 1;
              },
              LIMIT);
      assertThat(later.size()).isEqualTo(1);
    }
  }

  // ---- answers of other servers

  @Test
  void proxyAnswer_isReportedOncePerOutage() throws Exception {
    gateway.put("", "a", "1");
    try (Informer<StringBuilder> informer = pods().start()) {
      informer.awaitSynced(LIMIT);
      for (int outage = 1; outage <= 2; outage++) {
        int count = gateway.requests().size();
        gateway.refuse(Status.Code.UNIMPLEMENTED, "", "");
        gateway.endAll(Status.Code.PERMISSION_DENIED, "", "");
        await().until(() -> gateway.requests().size() >= count + 3);
        assertThat(problems)
            .hasSize(outage)
            .last()
            .isInstanceOfSatisfying(
                InformerProblem.OtherServerAnswered.class,
                ended -> assertThat(ended.error().code()).isEqualTo(Status.Code.PERMISSION_DENIED));
        gateway.admit();
        String version = gateway.put("", "a", "2");
        informer.awaitAtLeast(version, LIMIT);
        await().until(() -> informer.connectionError().isEmpty());
      }
      assertThat(informer.snapshotCount()).isEqualTo(1);
      assertThat(Optional.of(informer).flatMap(Informer::error)).isEmpty();
    }
  }

  @Test
  void onlyProxyAnswers_endInformerWithAdvice() {
    gateway.refuse(Status.Code.NOT_FOUND, "", "");
    try (WatchClient impatient =
            WatchClient.to("fake", 1)
                .transport((host, port) -> gateway.channel())
                .firstAnswerTimeout(Duration.ZERO)
                .build();
        Informer<ByteString> informer = Informer.of(impatient, "pods", Decoder.raw()).start()) {
      await().until(() -> informer.error().isPresent());
      assertThat(informer.error().orElseThrow().message())
          .contains("no Watchgate has answered", "NOT_FOUND, refused by the test", "Check host");
    }
  }
}
