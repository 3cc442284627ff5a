package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Test with ten thousand streams on a hundred selections that stop reading one after the other
 * during many changes. The objects that they keep alive are counted and not measured: a revision or
 * a frame is reachable or not.
 */
@Tag("slow")
final class StalledReadersTest {
  private static final int STREAMS = 10_000;
  private static final int FEEDS = 100;
  private static final int OBJECTS = 20;

  /** Number of stops; at each a hundred streams stop, each time at another revision. */
  private static final int STOPS = 100;

  private static final int CHANGES = 10;
  private static final int ROOTS = 16;

  private static final List<LagPolicy> POLICIES =
      List.of(
          LagPolicy.LAG_POLICY_RESYNC,
          LagPolicy.LAG_POLICY_CONFLATE,
          LagPolicy.LAG_POLICY_DISCONNECT);

  /** History and pinned revisions cover only a part of the stops. */
  private final CacheUnderTest underTest =
      new CacheUnderTest(
          CacheWriter.settings()
              .withHistory(Duration.ofHours(1), 300_000)
              .withLaggardBytes(300_000),
          new FanoutSettings.Limits(1_000, 1L << 40, ROOTS, 1L << 40));

  private final List<Reader> readers = new ArrayList<>();
  private final List<WeakReference<Revision>> revisions = new ArrayList<>();
  private long version = 100;

  /** State of a client: the versions of the objects. */
  private static final class Reader implements ResponseSink {
    private final Map<String, String> held = new HashMap<>();
    private final LagPolicy policy;
    private @Nullable Subscription subscription;
    private boolean reads = true;
    private boolean collecting;
    private final Map<String, String> collected = new HashMap<>();
    private String position = "";
    private @Nullable ApiError refusal;

    Reader(LagPolicy policy) {
      this.policy = policy;
    }

    @Override
    public boolean isReady() {
      return reads;
    }

    @Override
    public void send(ByteSlices encoded) {
      ListAndWatchResponse response = RecordingResponseSink.parse(encoded);
      if (response.hasSnapshotStarted()) {
        collected.clear();
        collecting = true;
      }
      for (WatchEvent event : response.getEventsList()) {
        Map<String, String> into = collecting ? collected : held;
        if (event.getType() == EventType.EVENT_TYPE_DELETED) {
          into.remove(event.getKey().getName());
        } else {
          into.put(event.getKey().getName(), event.getResourceVersion());
        }
      }
      if (response.hasSynced()) {
        held.clear();
        held.putAll(collected);
        collecting = false;
      }
      if (!response.getResourceVersion().isEmpty()) {
        position = response.getResourceVersion();
      }
    }

    @Override
    public void end(ApiError reason) {
      refusal = reason;
    }

    @Override
    public void fail() {
      throw new AssertionError("the stream failed; its log says how");
    }
  }

  private void list() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < OBJECTS; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).padding(500));
    }
    underTest.writer.list(version, objects);
  }

  private void changes() {
    for (int i = 0; i < CHANGES; i++) {
      version++;
      underTest.writer.put(SampleObject.of("n1", "o" + version % OBJECTS, version).padding(500));
      revisions.add(new WeakReference<>(underTest.writer.head()));
    }
    underTest.run();
  }

  /** Opens a hundred streams that follow and then stop reading. */
  private void oneStop() {
    List<Reader> some = new ArrayList<>();
    for (int i = 0; i < STREAMS / STOPS; i++) {
      Reader reader = new Reader(POLICIES.get(i % POLICIES.size()));
      StreamRequest asking = StreamRequest.labels("app!=x" + i % FEEDS).lagging(reader.policy);
      reader.subscription = underTest.opened(asking, reader);
      some.add(reader);
    }
    changes();
    some.forEach(reader -> reader.reads = false);
    readers.addAll(some);
    changes();
    underTest.time.advance(Duration.ofMillis(250));
    underTest.run();
  }

  @Test
  void stalledReaders_stayWithinBoundsAndResumeExactly() {
    list();
    for (int stop = 0; stop < STOPS; stop++) {
      oneStop();
    }
    underTest.pass(Duration.ofSeconds(3));

    // One for the router's checkpoint, and one pinned by snapshots that have not started.
    int bound = underTest.writer.cache().historySize() + ROOTS + 2;
    assertThat(bound).isLessThan(revisions.size() / 4);
    await()
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(revisions.stream().filter(one -> one.get() != null).count())
                  .isLessThanOrEqualTo(bound);
            });

    for (Reader reader : readers) {
      reader.reads = true;
      if (reader.subscription != null) {
        reader.subscription.wake();
      }
    }
    underTest.run();
    underTest.pass(Duration.ofMillis(200));
    int ended = 0;
    Map<String, String> now = new HashMap<>();
    for (int i = 0; i < OBJECTS; i++) {
      long last = version - Math.floorMod(version - i, (long) OBJECTS);
      now.put("o" + i, Long.toString(last));
    }
    for (Reader reader : readers) {
      ApiError refusal = reader.refusal;
      if (refusal == null) {
        assertThat(reader.position).isEqualTo("" + version);
        assertThat(reader.held).isEqualTo(now);
      } else {
        ended++;
        assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_LAGGED);
        assertThat(reader.policy).isEqualTo(LagPolicy.LAG_POLICY_DISCONNECT);
      }
    }
    assertThat(ended).isBetween(STREAMS / 4, STREAMS / 2);
  }
}
