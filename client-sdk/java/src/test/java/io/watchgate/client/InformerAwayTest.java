package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.ScriptedGateway.Stream;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.Snapshot;
import io.watchgate.informer.StoredObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tests of an informer during a long outage of its gateway, with simulated time. */
final class InformerAwayTest extends WatchCallFixture {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<String> calls = new CopyOnWriteArrayList<>();

  private final class Telling implements Handler<ByteString> {
    @Override
    public void onAdd(StoredObject<ByteString> object) {
      calls.add("add " + object);
    }

    @Override
    public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
      calls.add("update " + after);
    }

    @Override
    public void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
      calls.add(removal + " " + last.key());
    }

    @Override
    public void onSynced() {
      calls.add("synced");
    }
  }

  private Informer<ByteString> informer() {
    return Informer.of(client, "pods", Decoder.raw())
        .handler(new Telling(), HandlerSettings.DEFAULT)
        .start();
  }

  private static WatchEvent event(EventType type, String name, int version) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setName(name).setUid("uid-" + name))
        .setResourceVersion(Integer.toString(version))
        .setObject(ByteString.copyFromUtf8("{}"))
        .build();
  }

  private Stream snapshot(Stream stream, int position, WatchEvent... objects) {
    stream.send(ScriptedGateway.opened(Duration.ofSeconds(30)));
    stream.send(ScriptedGateway.snapshotStarted(SnapshotReason.SNAPSHOT_REASON_REQUESTED));
    stream.send(ScriptedGateway.events(EventType.EVENT_TYPE_ADDED).addAllEvents(List.of(objects)));
    stream.send(
        ScriptedGateway.at(position)
            .setSynced(io.watchgate.proto.v1.Synced.newBuilder().setObjects(objects.length)));
    return stream;
  }

  /**
   * Waits until the client waits for its next attempt. Polls often, because there are hundreds of
   * attempts.
   */
  private void awaitWait() {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> timers.next().compareTo(Backoff.CAP) <= 0);
  }

  /** Lets all attempts fail until the time has passed. Returns the number of attempts. */
  private int away(Stream first, Duration time) {
    first.fail(Status.UNAVAILABLE, new Metadata());
    Duration passed = Duration.ZERO;
    int attempts = 0;
    while (passed.compareTo(time) < 0) {
      // A stream that has not received its end yet still has a silence timer, which is due much
      // later.
      awaitWait();
      Duration wait = timers.runSet();
      assertThat(wait).as("wait before attempt %d", attempts + 1).isLessThanOrEqualTo(Backoff.CAP);
      passed = passed.plus(wait);
      attempts++;
      if (passed.compareTo(time) < 0) {
        gateway.next().fail(Status.UNAVAILABLE.withDescription("no gateway there"), new Metadata());
      }
    }
    return attempts;
  }

  @Test
  void afterHourOfOutage_informerResumesWithoutRepetition() throws Exception {
    try (Informer<ByteString> informer = informer()) {
      Stream first =
          snapshot(
              gateway.next(),
              10,
              event(EventType.EVENT_TYPE_ADDED, "a", 9),
              event(EventType.EVENT_TYPE_ADDED, "b", 10));
      informer.awaitSynced(LIMIT);
      await().until(() -> calls.size() == 3);
      Snapshot<ByteString> before = informer.snapshot();
      Duration fresh = informer.staleness().orElseThrow();

      int attempts = away(first, HOUR);

      assertThat(attempts).as("attempts in an hour").isBetween(120, 130);
      assertThat(informer.snapshot()).isSameAs(before);
      assertThat(informer.isSynced()).isTrue();
      assertThat(informer.error()).isEmpty();
      assertThat(informer.connectionError().orElseThrow().message()).isEqualTo("no gateway there");
      Duration stale = informer.staleness().orElseThrow();
      assertThat(stale).isGreaterThan(fresh);

      Stream second = gateway.next();
      assertThat(second.request().getResumeToken()).isEqualTo(ScriptedGateway.token(10));
      second.resumed(10);
      await().until(() -> informer.connectionError().isEmpty());
      assertThat(informer.staleness().orElseThrow())
          .as("that it is there again says nothing of what happened meanwhile")
          .isGreaterThan(stale);
      second.send(
          ScriptedGateway.at(12)
              .addEvents(event(EventType.EVENT_TYPE_DELETED, "a", 11))
              .addEvents(event(EventType.EVENT_TYPE_MODIFIED, "b", 12)));
      informer.awaitAtLeast("12", LIMIT);
      await().until(() -> calls.size() == 5);

      assertThat(calls.subList(3, 5)).containsExactly("DELETED a", "update b at 12");
      assertThat(informer.problemCount()).isZero();
      assertThat(gateway.nothingWaits()).isTrue();
    }
  }

  @Test
  void neverConnectedInformer_syncsOnceGatewayStarts() throws Exception {
    try (Informer<ByteString> informer = informer()) {
      away(gateway.next(), Duration.ofMinutes(10));
      assertThat(informer.isSynced()).isFalse();
      assertThat(informer.staleness()).isEmpty();
      snapshot(gateway.next(), 10, event(EventType.EVENT_TYPE_ADDED, "a", 9));

      informer.awaitSynced(LIMIT);
      await().until(() -> calls.equals(List.of("add a at 9", "synced")));
    }
  }

  @Test
  void refusedTokenAfterHour_deliversOnlyDifferences() throws Exception {
    try (Informer<ByteString> informer = informer()) {
      Stream first =
          snapshot(
              gateway.next(),
              10,
              event(EventType.EVENT_TYPE_ADDED, "a", 9),
              event(EventType.EVENT_TYPE_ADDED, "same", 10));
      informer.awaitSynced(LIMIT);
      await().until(() -> calls.size() == 3);
      away(first, HOUR);
      gateway.next().fail(Status.Code.OUT_OF_RANGE, "POSITION_EXPIRED", "RESTART");
      awaitWait();
      timers.runSet();

      Stream second = gateway.next();
      assertThat(second.request().getStartCase())
          .isEqualTo(ListAndWatchRequest.StartCase.START_NOT_SET);
      snapshot(
          second,
          20,
          event(EventType.EVENT_TYPE_ADDED, "same", 10),
          event(EventType.EVENT_TYPE_ADDED, "new", 20));
      informer.awaitAtLeast("20", LIMIT);
      await().until(() -> calls.size() == 5);

      assertThat(calls.subList(3, 5)).containsExactlyInAnyOrder("INFERRED a", "add new at 20");
    }
  }
}
