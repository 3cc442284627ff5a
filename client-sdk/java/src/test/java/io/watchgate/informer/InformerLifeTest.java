package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.testing.FakeGateway;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Life cycle tests: closed informers and handlers leave no threads and no objects behind. */
@Tag("slow")
final class InformerLifeTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration LONG = Duration.ofMinutes(2);

  private final FakeGateway gateway = FakeGateway.start();
  private final List<InformerProblem> problems = new CopyOnWriteArrayList<>();
  private final WatchClient client = newClient();

  private WatchClient newClient() {
    return WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build();
  }

  @AfterEach
  void end() {
    client.close();
    gateway.close();
  }

  private InformerBuilder<ByteString> pods() {
    return Informer.of(client, "pods", Decoder.raw()).onProblem(problems::add);
  }

  private Informer<ByteString> synced(InformerBuilder<ByteString> builder) throws Exception {
    Informer<ByteString> informer = builder.start();
    informer.awaitSynced(LIMIT);
    return informer;
  }

  // ---- leaks

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  /**
   * Returns the new threads, without the threads of the libraries, which remain for later channels.
   */
  private static List<String> ofClients(Set<Thread> before) {
    Set<Thread> now = threads();
    now.removeAll(before);
    return now.stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.startsWith("watchgate"))
        .toList();
  }

  private static void awaitCollected(List<WeakReference<Object>> all) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(all).allSatisfy(one -> assertThat(one.get()).isNull());
            });
  }

  @Test
  void tenThousandClosedInformers_leaveNothing() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("Opens and closes with seed " + seed);
    Random random = new Random(seed);
    Set<Thread> before = threads();
    gateway.put("", "a", "1");
    List<WeakReference<Object>> all = new ArrayList<>();
    try (WatchClient own = newClient()) {
      for (int i = 0; i < 10_000; i++) {
        Informer<ByteString> informer =
            Informer.of(own, "pods", Decoder.raw())
                .handler(new RecordingHandler(), HandlerSettings.DEFAULT.conflating())
                .start();
        if (random.nextInt(10) == 0) {
          informer.awaitSynced(LIMIT);
        }
        all.add(new WeakReference<>(informer));
        informer.close();
        if (i % 50 == 0) { // else the threads for a backlog would be counted below
          await()
              .pollDelay(Duration.ZERO)
              .pollInterval(Duration.ofMillis(1))
              .until(() -> gateway.streamCount() == 0);
        }
      }
      await().atMost(LONG).until(() -> gateway.streamCount() == 0);
      assertThat(ofClients(before)).as("threads of one client").hasSizeLessThan(200);
      awaitCollected(all); // while the client is open, which could keep a reference
    }
    await().atMost(LIMIT).untilAsserted(() -> assertThat(ofClients(before)).isEmpty());
  }

  @Test
  void closedInformer_resyncTimerDoesNotKeepIt() throws Exception {
    List<WeakReference<Object>> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Informer<ByteString> informer =
          synced(
              pods()
                  .handler(
                      new RecordingHandler(),
                      HandlerSettings.DEFAULT.resyncingEvery(Duration.ofHours(1))));
      all.add(new WeakReference<>(informer));
      all.add(new WeakReference<>(informer.snapshot()));
      informer.close();
    }

    await().until(() -> gateway.streamCount() == 0); // the client could keep a reference
    awaitCollected(all);
  }

  @Test
  void closeWithFullQueue_leavesNoThread() throws Exception {
    Set<Thread> before = threads();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Handler<ByteString> stuck =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            begun.countDown();
            awaitQuietly(held);
          }
        };
    WatchClient own = newClient();
    Informer<ByteString> informer =
        synced(
            Informer.of(own, "pods", Decoder.raw())
                .handler(stuck, HandlerSettings.DEFAULT.withCapacity(1)));
    for (int i = 0; i < 50; i++) {
      gateway.put("", "o-" + i, "1");
    }
    begun.await();
    Thread closing = new Thread(informer::close, "closing");
    closing.start();
    await().until(() -> gateway.streamCount() == 0);
    assertThat(closing.isAlive()).as("waits for the handler").isTrue();
    held.countDown();
    closing.join(LIMIT.toMillis());
    assertThat(closing.isAlive()).isFalse();

    own.close();
    await().atMost(LIMIT).untilAsserted(() -> assertThat(ofClients(before)).isEmpty());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- calls from handlers

  @Test
  void handler_mayCloseItsInformer() throws Exception {
    AtomicReference<Informer<ByteString>> informer = new AtomicReference<>();
    CountDownLatch given = new CountDownLatch(1);
    List<String> calls = new CopyOnWriteArrayList<>();
    CountDownLatch closed = new CountDownLatch(1);
    Handler<ByteString> closing =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            calls.add(object.key().name());
            awaitQuietly(given);
            informer.get().close();
            closed.countDown();
          }
        };
    gateway.put("", "a", "1");
    gateway.put("", "b", "1");
    informer.set(synced(pods().handler(closing)));
    given.countDown();

    assertThat(closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await().until(() -> gateway.streamCount() == 0);
    informer.get().close();
    assertThat(calls).hasSize(1);
  }

  @Test
  void handlersRemovingEachOther_doNotDeadlock() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    List<HandlerRegistration> registrations = new CopyOnWriteArrayList<>();
    CountDownLatch returned = new CountDownLatch(2);
    try (Informer<ByteString> informer = synced(pods())) {
      for (int number = 0; number < 2; number++) {
        int other = 1 - number;
        registrations.add(
            informer.addHandler(
                new Handler<>() {
                  @Override
                  public void onAdd(StoredObject<ByteString> object) {
                    meet(both);
                    registrations.get(other).close();
                    meet(both);
                    returned.countDown();
                  }
                }));
      }
      gateway.put("", "a", "1");

      assertThat(returned.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      gateway.put("", "b", "1");
      registrations.forEach(HandlerRegistration::close);
      assertThat(returned.getCount()).isZero();
    }
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void handlerError_isReportedAndEndsNothing() throws Exception {
    RecordingHandler handler = new RecordingHandler();
    Handler<ByteString> failing =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            handler.onAdd(object);
            throw new NoClassDefFoundError("com/example/Missing");
          }
        };
    Informer<ByteString> informer =
        synced(pods().handler(failing, HandlerSettings.DEFAULT.withCapacity(1)));
    for (String name : List.of("a", "b", "c", "d")) {
      gateway.put("", name, "1");
    }
    handler.awaitTold("add a 1", "add b 1", "add c 1", "add d 1");
    await().until(() -> problems.size() == 4);
    assertThat(problems.get(0).text())
        .isEqualTo("a handler threw java.lang.NoClassDefFoundError for the change of a");
    Thread closing = new Thread(informer::close, "closing");
    closing.start();
    closing.join(LIMIT.toMillis());
    assertThat(closing.isAlive()).isFalse();
  }

  @Test
  void decoderError_skipsOnlyThatObject() throws Exception {
    gateway.put("", "deep", "1");
    gateway.put("", "flat", "1");
    Decoder<String> decoder =
        json -> {
          if (json.toStringUtf8().equals("1") && decodes.getCount() == 2) {
            decodes.countDown();
            throw new StackOverflowError();
          }
          return json.toStringUtf8();
        };
    try (Informer<String> informer =
        Informer.of(client, "pods", decoder).onProblem(problems::add).start()) {
      informer.awaitSynced(LIMIT);
      assertThat(informer.snapshot().size()).isEqualTo(1);
      assertThat(problems).hasSize(1);
      String version = gateway.put("", "deep", "2");
      assertThat(informer.awaitAtLeast(version, LIMIT).size()).isEqualTo(2);
      assertThat(gateway.requests()).hasSize(1);
    }
  }

  /** Two: at the first decode, the decoder has not thrown yet. */
  private final CountDownLatch decodes = new CountDownLatch(2);

  // ---- handlers added and removed during changes

  @Test
  void handlersAddedDuringChanges_receiveConsistentChanges() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("Handlers that come and go with seed " + seed);
    Random random = new Random(seed);
    try (Informer<ByteString> informer = synced(pods())) {
      AtomicBoolean enough = new AtomicBoolean();
      Thread writer = new Thread(() -> write(new Random(seed + 1), enough), "writer");
      writer.start();
      List<CheckingHandler> gone = new ArrayList<>();
      List<CheckingHandler> there = new ArrayList<>();
      List<HandlerRegistration> places = new ArrayList<>();
      while (writer.isAlive()) {
        CheckingHandler folding = new CheckingHandler();
        HandlerSettings settings =
            random.nextBoolean()
                ? HandlerSettings.DEFAULT.conflating()
                : HandlerSettings.DEFAULT.withCapacity(1 + random.nextInt(20));
        there.add(folding);
        places.add(informer.addHandler(folding, settings));
        if (there.size() > 5) {
          int at = random.nextInt(there.size());
          places.remove(at).close();
          gone.add(there.remove(at));
          enough.set(gone.size() >= 30);
        }
      }
      writer.join();
      Snapshot<ByteString> last = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);

      assertThat(gone).hasSizeGreaterThanOrEqualTo(30);
      for (CheckingHandler one : there) {
        await()
            .atMost(LIMIT)
            .untilAsserted(() -> assertThat(one.state()).isEqualTo(CheckingHandler.state(last)));
      }
      gone.addAll(there);
      assertThat(gone)
          .allSatisfy(one -> assertThat(one.violations()).as("seed %d", seed).isEmpty());
      assertThat(problems).isEmpty();
    }
  }

  /** Writes until {@code enough} is set and a minimum of objects is written. */
  private void write(Random random, AtomicBoolean enough) {
    Set<String> there = new HashSet<>();
    for (int i = 0; i < 3_000 || !enough.get(); i++) {
      String name = "o-" + random.nextInt(20);
      if (there.contains(name) && random.nextInt(3) == 0) {
        gateway.delete("", name);
        there.remove(name);
      } else {
        gateway.put("", name, Integer.toString(i));
        there.add(name);
      }
      if (i >= 3_000) { // the other thread may stand still: a bounded rate for as long as it takes
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  @Test
  void resync_deliversCurrentStateUntilRemoved() throws Exception {
    gateway.put("", "a", "1");
    RecordingHandler handler = new RecordingHandler();
    try (Informer<ByteString> informer = synced(pods())) {
      HandlerRegistration place =
          informer.addHandler(
              handler, HandlerSettings.DEFAULT.resyncingEvery(Duration.ofSeconds(1)));
      await().atMost(LIMIT).until(() -> handler.calls().contains("synced"));
      gateway.put("", "a", "2");
      await()
          .atMost(LIMIT)
          .until(() -> handler.calls().stream().filter("update a 2 to 2"::equals).count() >= 2);
      List<String> told = handler.calls();
      assertThat(told).startsWith("add a 1", "synced").contains("update a 1 to 2");
      int changed = told.indexOf("update a 1 to 2");
      assertThat(told.subList(2, changed))
          .as("resyncs before the change, if there was time for any")
          .allMatch("update a 1 to 1"::equals);
      assertThat(told.subList(changed + 1, told.size())).allMatch("update a 2 to 2"::equals);
      place.close();
      int calls = handler.calls().size();
      await()
          .during(Duration.ofMillis(1_200))
          .atMost(LIMIT)
          .until(() -> handler.calls().size() == calls);
      assertThat(gateway.requests()).as("it costs the gateway nothing").hasSize(1);
    }
  }

  // ---- waiting threads

  @Test
  void closedClient_endsWaiting() throws Exception {
    Informer<ByteString> informer = synced(pods());
    CompletableFuture<Throwable> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                informer.await(now -> false, Duration.ofMinutes(5));
                return new AssertionError("it came");
              } catch (Exception e) {
                return e;
              }
            });
    client.close();

    assertThat(waiting.get(3, TimeUnit.MINUTES))
        .isInstanceOf(InformerEndedException.class)
        .hasMessage("the informer, or its client, was closed");
    assertThat(informer.error()).isEmpty();
  }

  @Test
  void waiting_isInterruptible() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Informer<ByteString> informer = synced(pods())) {
      CountDownLatch waiting = new CountDownLatch(1);
      Thread waiter =
          new Thread(
              () -> {
                try {
                  informer.await(
                      now -> {
                        waiting.countDown();
                        return false;
                      },
                      LONG);
                } catch (InterruptedException | InformerEndedException e) {
                  thrown.set(e);
                } catch (java.util.concurrent.TimeoutException e) {
                  throw new IllegalStateException(e);
                }
              },
              "waiter");
      waiter.start();
      waiting.await();
      waiter.interrupt();
      waiter.join(LIMIT.toMillis());
      assertThat(thrown.get()).isInstanceOf(InterruptedException.class);

      String version = gateway.put("", "a", "1");
      assertThat(informer.awaitAtLeast(version, LIMIT).size()).isEqualTo(1);
    }
  }

  @Test
  void predicateException_reachesOnlyTheWaiter() throws Exception {
    try (Informer<ByteString> informer = synced(pods())) {
      assertThatThrownBy(
              () ->
                  informer.await(
                      now -> {
                        throw new IllegalStateException("mine");
                      },
                      LIMIT))
          .hasMessage("mine");
      String version = gateway.put("", "a", "1");
      assertThat(informer.awaitAtLeast(version, LIMIT).size()).isEqualTo(1);
    }
  }
}
