package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.testing.FakeGateway;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of store and handlers under changes in the cluster and connection failures. */
final class InformerTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final FakeGateway gateway = FakeGateway.start();
  private final RecordingHandler handler = new RecordingHandler();
  private final List<InformerProblem> problems = new CopyOnWriteArrayList<>();
  private WatchClient client;

  @BeforeEach
  void connect() {
    client = WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build();
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

  // ---- handlers

  @Test
  void handler_receivesObjectsThenChanges() throws Exception {
    gateway.put("shop", "web", "1");
    try (Informer<ByteString> informer = synced(pods().handler(handler))) {
      gateway.put("shop", "db", "2");
      gateway.put("shop", "web", "3");
      gateway.delete("shop", "db");

      handler.awaitTold(
          "add shop/web 1",
          "synced",
          "add shop/db 2",
          "update shop/web 1 to 3",
          "DELETED shop/db 2");
      assertThat(informer.snapshot().list())
          .extracting(StoredObject::toString)
          .containsExactly("shop/web at " + (Integer.parseInt(gateway.resourceVersion()) - 1));
      assertThat(problems).isEmpty();
    }
  }

  @Test
  void afterDisconnect_nothingIsRepeatedOrMissed() throws Exception {
    gateway.put("", "a", "1");
    gateway.put("", "b", "1");
    try (Informer<ByteString> informer = synced(pods().handler(handler))) {
      await().until(() -> handler.calls().contains("synced"));
      handler.forget();
      gateway.refuse(Status.Code.UNAVAILABLE, "", "");
      gateway.cut();
      gateway.delete("", "a");
      gateway.put("", "a", "2");
      gateway.put("", "c", "1");
      gateway.admit();

      handler.awaitTold("DELETED a 1", "add a 2", "add c 1");
      assertThat(informer.snapshot().size()).isEqualTo(3);
      assertThat(gateway.requests().get(gateway.requests().size() - 1).getResumeToken())
          .isNotEqualTo(ByteString.EMPTY);
    }
  }

  @Test
  void expiredToken_deliversOnlyDifferences() throws Exception {
    gateway.put("", "same", "1");
    gateway.put("", "gone", "1");
    gateway.put("", "again", "1");
    gateway.put("", "changed", "1");
    try (Informer<ByteString> informer = synced(pods().handler(handler))) {
      await().until(() -> handler.calls().contains("synced"));
      handler.forget();
      StoredObject<ByteString> same = informer.snapshot().get("", "same").orElseThrow();
      gateway.refuse(Status.Code.UNAVAILABLE, "", "");
      gateway.cut();
      gateway.delete("", "gone");
      gateway.delete("", "again");
      gateway.put("", "again", "2");
      gateway.put("", "changed", "2");
      gateway.put("", "new", "1");
      gateway.expireTokens();
      gateway.admit();

      await().until(() -> handler.calls().size() >= 5);
      assertThat(handler.calls())
          .containsExactlyInAnyOrder(
              "INFERRED gone 1",
              "INFERRED again 1",
              "add again 2",
              "update changed 1 to 2",
              "add new 1")
          .containsSubsequence("INFERRED again 1", "add again 2");
      assertThat(informer.snapshot().get("", "same")).containsSame(same);
    }
  }

  @Test
  void laterHandler_startsWithCurrentObjects() throws Exception {
    gateway.put("", "a", "1");
    try (Informer<ByteString> informer = synced(pods())) {
      gateway.put("", "a", "2");
      informer.await(now -> has(now, "a", "2"), LIMIT);
      HandlerRegistration place = informer.addHandler(handler);
      gateway.put("", "a", "3");

      handler.awaitTold("add a 2", "synced", "update a 2 to 3");
      assertThat(place.hasSynced()).isTrue();
      place.close();
      gateway.put("", "a", "4");
      informer.await(now -> has(now, "a", "4"), LIMIT);
      assertThat(handler.calls()).hasSize(3);
    }
  }

  private static boolean has(Snapshot<ByteString> now, String name, String value) {
    return now.get("", name).map(one -> one.value().toStringUtf8().equals(value)).orElse(false);
  }

  @Test
  void throwingHandler_isReportedAndDelaysNothing() throws Exception {
    RecordingHandler other = new RecordingHandler();
    Handler<ByteString> failing =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            handler.onAdd(object);
            throw new IllegalStateException("not that one");
          }
        };
    try (Informer<ByteString> informer = synced(pods().handler(failing).handler(other))) {
      gateway.put("", "a", "1");
      gateway.put("", "b", "1");

      handler.awaitTold("add a 1", "add b 1");
      other.awaitTold("synced", "add a 1", "add b 1");
      await().until(() -> problems.size() == 2);
      assertThat(problems.get(0).text())
          .isEqualTo("a handler threw java.lang.IllegalStateException for the change of a");
      assertThat(informer.problemCount()).isEqualTo(2);
    }
  }

  @Test
  void slowConflatingHandler_receivesNewestAndDelaysNothing() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch calls = new CountDownLatch(1);
    RecordingHandler other = new RecordingHandler();
    Handler<ByteString> slow =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            calls.countDown();
            try {
              held.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            handler.onAdd(object);
          }

          @Override
          public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
            handler.onUpdate(before, after);
          }
        };
    try (Informer<ByteString> informer =
        synced(pods().handler(slow, HandlerSettings.DEFAULT.conflating()).handler(other))) {
      gateway.put("", "a", "0");
      calls.await();
      for (int i = 1; i < 500; i++) {
        gateway.put("", "a", Integer.toString(i));
      }
      informer.await(now -> has(now, "a", "499"), LIMIT);
      await().until(() -> other.calls().size() == 501);
      held.countDown();

      handler.awaitTold("add a 0", "update a 0 to 499");
    }
  }

  @Test
  void slowBlockingHandler_delaysStreamAtItsCapacity() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    Handler<ByteString> slow =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            try {
              held.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            handler.onAdd(object);
          }
        };
    try (Informer<ByteString> informer = synced(pods())) {
      HandlerRegistration place =
          informer.addHandler(slow, HandlerSettings.DEFAULT.withCapacity(3));
      for (int i = 0; i < 100; i++) {
        gateway.put("", "o-" + i, "1");
      }
      await().until(() -> place.pendingChanges() == 3);
      assertThat(informer.snapshot().size()).isLessThan(10);
      held.countDown();

      await().until(() -> handler.calls().size() == 100);
      assertThat(informer.snapshot().size()).isEqualTo(100);
    }
  }

  @Test
  void handler_mayAddAnotherAndRemoveItself() throws Exception {
    AtomicReference<HandlerRegistration> own = new AtomicReference<>();
    CountDownLatch registered = new CountDownLatch(1);
    AtomicReference<Informer<ByteString>> informer = new AtomicReference<>();
    Handler<ByteString> once =
        new Handler<>() {
          @Override
          public void onAdd(StoredObject<ByteString> object) {
            try {
              registered.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            informer.get().addHandler(handler);
            own.get().close();
          }
        };
    gateway.put("", "a", "1");
    gateway.put("", "b", "1");
    try (Informer<ByteString> opened = synced(pods())) {
      informer.set(opened);
      own.set(opened.addHandler(once, HandlerSettings.DEFAULT.withCapacity(1)));
      registered.countDown();

      await().until(() -> handler.calls().size() == 3);
      assertThat(handler.calls())
          .containsExactlyInAnyOrder("add a 1", "add b 1", "synced")
          .endsWith("synced");
      assertThat(problems).isEmpty();
    }
  }

  // ---- store

  @Test
  void store_findsByNamespaceAndIndex() throws Exception {
    gateway.put("shop", "web", "red");
    gateway.put("shop", "db", "blue");
    gateway.put("play", "web", "red");
    try (Informer<ByteString> informer =
        synced(pods().index("color", object -> List.of(object.value().toStringUtf8())))) {
      Snapshot<ByteString> before = informer.snapshot();
      gateway.put("play", "web", "blue");
      Snapshot<ByteString> after = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);

      assertThat(keys(before.byIndex("color", "red")))
          .containsExactlyInAnyOrder("shop/web", "play/web");
      assertThat(keys(after.byIndex("color", "red"))).containsExactly("shop/web");
      assertThat(keys(after.byIndex("color", "blue")))
          .containsExactlyInAnyOrder("shop/db", "play/web");
      assertThat(keys(after.inNamespace("shop"))).containsExactlyInAnyOrder("shop/web", "shop/db");
      assertThat(after.indexValues("color")).containsExactlyInAnyOrder("red", "blue");
      assertThatThrownBy(() -> after.byIndex("size", "big"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "there is no index called size; give it to the informer's builder. There are: color,"
                  + " namespace");
      gateway.delete("shop", "web");
      Snapshot<ByteString> last = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);
      assertThat(last.indexValues("color")).containsExactly("blue");
    }
  }

  private static List<String> keys(List<StoredObject<ByteString>> objects) {
    return objects.stream().map(object -> object.key().toString()).toList();
  }

  @Test
  void awaitAtLeast_returnsVersionOrTimesOut() throws Exception {
    try (Informer<ByteString> informer = synced(pods())) {
      String version = gateway.put("", "a", "1");
      assertThat(informer.awaitAtLeast(version, LIMIT).get("", "a")).isPresent();
      assertThatThrownBy(() -> informer.awaitAtLeast("9" + version, Duration.ofMillis(20)))
          .isInstanceOf(TimeoutException.class)
          .hasMessage("informer of pods does not fulfil the condition after 20 ms");
      assertThatThrownBy(() -> informer.awaitAtLeast("12x", LIMIT))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void olderState_isDropped() throws Exception {
    gateway.put("", "a", "1");
    gateway.put("", "a", "2");
    try (Informer<ByteString> informer = synced(pods().handler(handler))) {
      handler.awaitTold("add a 2", "synced");
      StoredObject<ByteString> held = informer.snapshot().get("", "a").orElseThrow();
      int old = Integer.parseInt(held.resourceVersion()) - 1;
      gateway.send(event(EventType.EVENT_TYPE_MODIFIED, old, held.uid(), "1"));
      gateway.send(event(EventType.EVENT_TYPE_DELETED, old, held.uid(), "1"));
      gateway.put("", "b", "1");

      handler.awaitTold("add a 2", "synced", "add b 1");
      assertThat(informer.snapshot().get("", "a")).containsSame(held);
      assertThat(informer.staleChangeCount()).isEqualTo(2);
    }
  }

  private ListAndWatchResponse event(EventType type, int version, String uid, String json) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(gateway.resourceVersion())
        .setResumeToken(ByteString.copyFromUtf8("fake-" + gateway.resourceVersion()))
        .addEvents(
            WatchEvent.newBuilder()
                .setType(type)
                .setResourceVersion(Integer.toString(version))
                .setKey(ObjectKey.newBuilder().setName("a").setUid(uid))
                .setObject(ByteString.copyFromUtf8(json)))
        .build();
  }

  @Test
  void staleness_isKnownOnceSynced() throws Exception {
    gateway.refuse(Status.Code.UNAVAILABLE, "", "");
    try (Informer<ByteString> informer = pods().start()) {
      assertThat(informer.staleness()).isEmpty();
      gateway.admit();
      informer.awaitSynced(LIMIT);
      assertThat(informer.staleness()).isPresent();
    }
  }

  // ---- faults

  @Test
  void undecodableObject_isReportedAndSkipped() throws Exception {
    gateway.put("", "good", "1");
    gateway.put("", "bad", "x");
    try (Informer<Integer> informer =
        Informer.of(client, "pods", json -> Integer.valueOf(json.toStringUtf8()))
            .onProblem(problems::add)
            .start()) {
      informer.awaitSynced(LIMIT);
      assertThat(informer.snapshot().size()).isEqualTo(1);
      gateway.put("", "good", "y");
      gateway.put("", "bad", "2");
      Snapshot<Integer> now = informer.awaitAtLeast(gateway.resourceVersion(), LIMIT);

      assertThat(now.get("", "bad").orElseThrow().value()).isEqualTo(2);
      assertThat(now.get("", "good").orElseThrow().value()).as("what it was").isEqualTo(1);
      assertThat(problems)
          .hasSize(2)
          .allSatisfy(
              problem -> assertThat(problem).isInstanceOf(InformerProblem.Undecodable.class));
      assertThat(problems.get(0).text()).startsWith("bad at ").doesNotContain("\"x\"");
    }
  }

  @Test
  void unfitPatch_restartsWithoutPatches() throws Exception {
    gateway.put("", "a", "{\"n\":1.50,\"list\":[1,2]}");
    try (Informer<ByteString> informer = synced(pods().patches().handler(handler))) {
      StoredObject<ByteString> held = informer.snapshot().get("", "a").orElseThrow();
      int version = Integer.parseInt(gateway.resourceVersion());
      gateway.send(
          patch(
              held,
              version + 1,
              held.resourceVersion(),
              "[{\"op\":\"add\",\"path\":\"/list/0\",\"value\":0}]"));
      Snapshot<ByteString> now = informer.awaitAtLeast(Integer.toString(version + 1), LIMIT);
      assertThat(now.get("", "a").orElseThrow().value().toStringUtf8())
          .isEqualTo("{\"n\":1.50,\"list\":[0,1,2]}");

      gateway.put("", "other", "{}");
      gateway.put("", "other", "{}"); // keeps the fake's version newest
      gateway.send(patch(held, version + 3, "7", "[]"));
      await().until(() -> informer.restartCount() == 1 && gateway.requests().size() == 2);
      ListAndWatchRequest second = gateway.requests().get(1);
      assertThat(second.getResumeToken()).isEqualTo(ByteString.EMPTY);
      assertThat(second.getProjection().getChangeEncoding().name()).endsWith("FULL");
      assertThat(problems.get(0).text())
          .isEqualTo(
              "the patch of a at "
                  + (version + 3)
                  + " is based on a state that the store does not have; the informer restarts,"
                  + " without patches");
      gateway.put("", "b", "{}");
      informer.await(after -> after.get("", "b").isPresent(), LIMIT);
    }
  }

  private static ListAndWatchResponse patch(
      StoredObject<ByteString> object, int version, String base, String patch) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(Integer.toString(version))
        .setResumeToken(ByteString.copyFromUtf8("fake-" + version))
        .addEvents(
            WatchEvent.newBuilder()
                .setType(EventType.EVENT_TYPE_MODIFIED)
                .setResourceVersion(Integer.toString(version))
                .setKey(ObjectKey.newBuilder().setName("a").setUid(object.uid()))
                .setPatch(
                    ObjectPatch.newBuilder()
                        .setBaseResourceVersion(base)
                        .setJsonPatch(ByteString.copyFromUtf8(patch))))
        .build();
  }

  @Test
  void permanentRefusal_reportsCodeReasonAndAction() {
    gateway.refuse(Status.Code.PERMISSION_DENIED, "ACCESS_DENIED", "STOP");
    try (Informer<ByteString> informer = pods().start()) {
      assertThatThrownBy(() -> informer.awaitSynced(LIMIT))
          .isInstanceOfSatisfying(
              InformerEndedException.class,
              ended -> {
                WatchError error = Objects.requireNonNull(ended.error());
                assertThat(error.code()).isEqualTo(Status.Code.PERMISSION_DENIED);
                assertThat(error.reason()).isEqualTo("ACCESS_DENIED");
              });
      assertThat(informer.error()).isPresent();
    }
  }

  @Test
  void close_endsWaitersAndNotifications() throws Exception {
    Informer<ByteString> informer = synced(pods().handler(handler));
    await().until(() -> gateway.streamCount() == 1);
    informer.close();
    informer.close();
    await().until(() -> gateway.streamCount() == 0);
    assertThatThrownBy(() -> informer.await(now -> false, LIMIT))
        .isInstanceOf(InformerEndedException.class)
        .hasMessage("the informer, or its client, was closed");
    assertThatThrownBy(() -> informer.addHandler(handler))
        .isInstanceOf(IllegalStateException.class);
  }
}
