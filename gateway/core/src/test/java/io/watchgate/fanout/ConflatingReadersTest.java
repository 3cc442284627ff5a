package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Test with a thousand conflating streams that stop reading at twenty positions, while ten thousand
 * objects are changed, deleted and created again. When a stream reads again, it must get the
 * difference between its former state and the current one: no object twice, no unchanged object,
 * and none missing.
 */
@Tag("slow")
final class ConflatingReadersTest {
  private static final int READERS = 1_000;
  private static final int STOPS = 20;
  private static final int OBJECTS = 10_000;
  private static final int CHANGES = 2_000;
  private static final int ROOTS = 16;
  private static final long HISTORY = 16 << 20;
  private static final long LAGGARDS = 16 << 20;

  private final CacheUnderTest underTest =
      new CacheUnderTest(
          CacheWriter.settings()
              .withHistory(Duration.ofHours(1), HISTORY)
              .withLaggardBytes(LAGGARDS),
          new FanoutSettings.Limits(100, 1L << 40, ROOTS, 1L << 40));

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final List<Reader> readers = new ArrayList<>();

  /** Version of each object, 0 for a deleted one; and number of its incarnation. */
  private final int[] versions = new int[OBJECTS];

  private final int[] lives = new int[OBJECTS];
  private int version = 100;

  /** Parsed responses by their bytes, which the streams of a feed share. */
  private final IdentityHashMap<ByteSlices, ListAndWatchResponse> parsed = new IdentityHashMap<>();

  private final class Reader implements ResponseSink {
    private int[] heldVersions = new int[OBJECTS];
    private int[] heldLives = new int[OBJECTS];
    private @Nullable Subscription subscription;
    private boolean reads = true;
    private boolean snapshot;
    private int snapshots;
    private int differences;

    /** Number of events per object since the last position: one, or a removal and a creation. */
    private final int[] told = new int[OBJECTS];

    @Override
    public boolean isReady() {
      return reads;
    }

    @Override
    public void send(ByteSlices encoded) {
      ListAndWatchResponse response = parsed.computeIfAbsent(encoded, RecordingResponseSink::parse);
      if (response.hasSnapshotStarted()) {
        snapshot = true;
        snapshots++;
        heldVersions = new int[OBJECTS];
        heldLives = new int[OBJECTS];
      }
      response.getEventsList().forEach(this::take);
      if (response.hasSynced() || !response.getResourceVersion().isEmpty()) {
        snapshot = false;
        Arrays.fill(told, 0);
      }
    }

    private void take(WatchEvent event) {
      int object = Integer.parseInt(event.getKey().getName().substring(1));
      int life = Integer.parseInt(event.getKey().getUid());
      int now = Integer.parseInt(event.getResourceVersion());
      differences++;
      switch (event.getType()) {
        case EVENT_TYPE_ADDED -> {
          assertThat(heldVersions[object]).as("it had none of that name").isZero();
          assertThat(life).isNotEqualTo(heldLives[object]);
          heldVersions[object] = now;
          heldLives[object] = life;
        }
        case EVENT_TYPE_MODIFIED -> {
          assertThat(life).isEqualTo(heldLives[object]);
          assertThat(now).isGreaterThan(heldVersions[object]);
          assertThat(snapshot).isFalse();
          assertThat(told[object]).isZero();
          heldVersions[object] = now;
        }
        case EVENT_TYPE_DELETED -> {
          assertThat(life).isEqualTo(heldLives[object]);
          assertThat(heldVersions[object]).isPositive();
          assertThat(told[object]).isZero();
          heldVersions[object] = 0;
        }
        default -> throw new AssertionError(event.getType());
      }
      assertThat(++told[object]).isLessThanOrEqualTo(2);
    }

    @Override
    public void end(ApiError reason) {
      throw new AssertionError(reason.message());
    }

    @Override
    public void fail() {
      throw new AssertionError("the stream failed; its log says how");
    }
  }

  private void list() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < OBJECTS; i++) {
      versions[i] = 5;
      lives[i] = 1;
      objects.add(object(i));
    }
    underTest.writer.list(version, objects);
  }

  private SampleObject object(int i) {
    return SampleObject.of("n1", "o" + i, versions[i]).uid("" + lives[i]).padding(300);
  }

  private void change() {
    int i = random.nextInt(OBJECTS);
    version++;
    if (versions[i] != 0 && random.nextInt(4) == 0) {
      SampleObject last = object(i);
      versions[i] = 0;
      underTest.writer.delete(last, version);
    } else {
      lives[i] += versions[i] == 0 ? 1 : 0;
      versions[i] = version;
      underTest.writer.put(object(i));
    }
  }

  private void changes() {
    for (int i = 0; i < CHANGES; i++) {
      change();
      if (i % 100 == 0) {
        underTest.run();
        assertBounds();
      }
    }
    underTest.pass(Duration.ofMillis(1_100));
    parsed.clear();
  }

  private void assertBounds() {
    RouterRegistry.Measurement measured = underTest.routers.measurements().getFirst();
    assertThat(measured.pinnedRevisions()).isLessThanOrEqualTo(ROOTS);
    assertThat(underTest.writer.cache().historyBytes()).isLessThan(HISTORY + (1 << 20));
    // One check per second may pass before lagging streams have released their revisions.
    assertThat(measured.pinnedBytes()).isLessThan(LAGGARDS + CHANGES * 2_000L);
  }

  @Test
  void conflatingReaders_getTheDifferenceWithinTheMemoryBounds() {
    list();
    for (int stop = 0; stop < STOPS; stop++) {
      List<Reader> some = new ArrayList<>();
      for (int i = 0; i < READERS / STOPS; i++) {
        Reader reader = new Reader();
        reader.subscription =
            underTest.opened(
                StreamRequest.EVERYTHING
                    .projected(ObjectProjection.KEY)
                    .lagging(LagPolicy.LAG_POLICY_CONFLATE),
                reader);
        some.add(reader);
      }
      underTest.run();
      some.forEach(reader -> reader.reads = false);
      readers.addAll(some);
      changes();
    }
    for (Reader reader : readers) {
      reader.differences = 0;
      reader.reads = true;
      if (reader.subscription != null) {
        reader.subscription.wake();
      }
    }
    underTest.run();
    underTest.pass(Duration.ofMillis(200));
    assertBounds();

    assertThat(readers)
        .as("seed %d", seed)
        .allSatisfy(
            reader -> {
              assertThat(reader.heldVersions).isEqualTo(versions);
              assertThat(reader.differences).isPositive();
            });
    long conflated = readers.stream().filter(reader -> reader.snapshots == 1).count();
    assertThat(conflated).as("caught up by a difference").isGreaterThan(READERS / 10);
    assertThat(conflated).as("too far back, and got a snapshot").isLessThan(READERS);
  }
}
