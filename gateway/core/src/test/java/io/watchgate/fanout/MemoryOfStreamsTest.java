package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.SampleProjection;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.LagPolicy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the memory that streams keep alive, by weak references. */
final class MemoryOfStreamsTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final CacheUnderTest underTest = CacheUnderTest.ofShortHistory();
  private long version = 20;

  /** Limited by attempts and not by time: next to other tests a collection may take seconds. */
  private static void assertCollected(WeakReference<?> reference) {
    for (int attempt = 0; attempt < 20 && reference.get() != null; attempt++) {
      System.gc();
    }
    assertThat(reference.get() == null).as("it is gone").isTrue();
  }

  /** Adds enough changes to trim all earlier revisions and to exceed the limit of pinned ones. */
  private void addManyChanges() {
    for (int i = 0; i < 100; i++) {
      underTest.writer.put(OBJECT.at(++version));
    }
  }

  private WeakReference<Revision> head() {
    return new WeakReference<>(underTest.writer.head());
  }

  @Test
  void caughtUpStreamAndQuietFeed_keepNoRevision() {
    underTest.writer.list(10, OBJECT);
    List<ControlledResponseSink> quiet = new ArrayList<>();
    for (LagPolicy policy : List.of(LagPolicy.LAG_POLICY_RESYNC, LagPolicy.LAG_POLICY_CONFLATE)) {
      quiet.add(underTest.subscribe(StreamRequest.labels("app=none").lagging(policy)));
      quiet.add(underTest.subscribe(StreamRequest.EVERYTHING.lagging(policy)));
      quiet.add(
          underTest.subscribe(
              StreamRequest.EVERYTHING.projected(ObjectProjection.METADATA.withPatches())));
    }
    WeakReference<Revision> listed = head();
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
    WeakReference<Revision> changed = head();
    for (int i = 0; i < 3; i++) {
      underTest.writer.put(OBJECT.at(++version)); // sent as one response, which the followers share
    }
    underTest.run();
    for (int i = 0; i < 30; i++) {
      underTest.writer.put(OBJECT.at(++version));
      underTest.run();
    }
    underTest.pass(Duration.ofSeconds(3));

    assertCollected(listed);
    assertCollected(changed);
    assertThat(quiet).allSatisfy(sink -> assertThat(sink.refusal()).isNull());
  }

  /** The stream is always three changes behind and never reaches the end of the log. */
  @Test
  void laggingStreamThatReads_keepsNoSentFrame() {
    SampleObject large = OBJECT.padding(40_000); // one event per response
    CacheUnderTest roomy =
        new CacheUnderTest(
            CacheWriter.settings()
                .withHistory(Duration.ofHours(1), 400_000)
                .withLaggardBytes(400_000));
    roomy.writer.list(10, large);
    ControlledResponseSink laggard = roomy.subscribe(StreamRequest.EVERYTHING);
    laggard.onSend = () -> laggard.ready = false;
    laggard.stalled();
    for (int i = 0; i < 3; i++) {
      roomy.writer.put(large.at(++version));
    }
    WeakReference<Revision> first = new WeakReference<>(roomy.writer.head());
    for (int i = 0; i < 60; i++) {
      roomy.writer.put(large.at(++version));
      laggard.read();
      roomy.pass(Duration.ofMillis(100));
    }

    assertThat(laggard.changes()).as("one by one").hasSize(60).startsWith("21", "22", "23");
    assertThat(laggard.refusal()).isNull();
    assertCollected(first);
  }

  /** The transport keeps the stream until the client has read all bytes sent before the end. */
  @Test
  void endedStream_keepsNoRevision() {
    underTest.writer.list(10, OBJECT);
    WeakReference<Revision> snapshot = head();
    ControlledResponseSink ended =
        underTest.open(StreamRequest.EVERYTHING, new ControlledResponseSink());
    ended.onSend = () -> ended.ready = ended.sent.size() < 2; // before the snapshot is sent
    underTest.run();

    ended.subscription().terminate(LimitErrors.heapFull());
    underTest.run();
    addManyChanges();
    underTest.run();

    assertThat(ended.refusal()).isNotNull();
    assertCollected(snapshot);
    assertThat(underTest.routers.snapshotHeapBytes()).isZero();
  }

  /** Clients choose the pointers of views, and each view would keep the last change it encoded. */
  @Test
  void unusedProjection_keepsNoChange() throws JsonException {
    underTest.writer.list(10, OBJECT);
    underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink leaves =
        underTest.subscribe(
            StreamRequest.EVERYTHING.projected(SampleProjection.including("/data")));
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
    WeakReference<KubeObject> seen = new WeakReference<>(underTest.writer.held("n1/a"));
    leaves.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    for (int i = 0; i < 100; i++) {
      underTest.writer.put(OBJECT.at(++version));
      underTest.run();
    }
    underTest.pass(Duration.ofSeconds(2));

    assertCollected(seen);
  }

  @Test
  void failedReplay_leavesNoFollower() throws Exception {
    CacheUnderTest roomy = new CacheUnderTest();
    roomy.writer.list(10, OBJECT);
    roomy.subscribe(StreamRequest.EVERYTHING);
    StreamRequest looking =
        StreamRequest.EVERYTHING.projected(SampleProjection.including("/metadata/x/b"));
    Revision base = roomy.writer.head();
    for (int i = 0; i < 200; i++) { // too many for a replay by the router itself
      roomy.writer.put(OBJECT.at(++version));
    }
    roomy.writer.put(new SampleObject("n1", "a", "u-a", "" + ++version, "\"x\":{\"a\" 1},", 0));
    roomy.run();
    WeakReference<Feed> feed = failsToAttach(roomy, looking, base);

    assertCollected(feed);
  }

  private static WeakReference<Feed> failsToAttach(
      CacheUnderTest underTest, StreamRequest asking, Revision base) throws ApiException {
    RouterRegistry.Lease lease =
        underTest.routers.open(underTest.writer.cache(), asking.selection(), asking.format());
    List<String> told = new ArrayList<>();
    lease
        .router()
        .attach(
            lease.feed(),
            base,
            new ChangeRouter.Attachment() {
              @Override
              public void attached(JoinPoint joinPoint) {
                told.add("attached");
              }

              @Override
              public void failed() {
                told.add("failed");
              }
            });
    underTest.run();
    underTest.pass(Duration.ofMillis(100));
    assertThat(told).containsExactly("failed");
    lease.close();
    underTest.run();
    return new WeakReference<>(lease.feed());
  }

  @Test
  void stalledStream_releasesFramesAfterACheck() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink stalled = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    WeakReference<ByteSlices> frame = frame();
    System.gc();
    assertThat(frame.get()).as("it is still to be sent").isNotNull();

    underTest.pass(Duration.ofMillis(2_200));

    assertCollected(frame);
    stalled.read();
    underTest.run();
    assertThat(stalled.changes()).containsExactly("21");
  }

  @Test
  void streamStalledWhileCatchingUp_releasesFrames() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink stalled =
        underTest.open(StreamRequest.EVERYTHING, new ControlledResponseSink());
    while (stalled.sent.isEmpty() || !stalled.lastResponse().hasSynced()) {
      assertThat(underTest.owning.runOne()).isTrue();
    }
    stalled.stalled(); // it has requested a join point, and gets the answer now
    underTest.run();
    WeakReference<ByteSlices> frame = frame();

    underTest.pass(Duration.ofMillis(2_200));

    assertCollected(frame);
    stalled.read();
    underTest.run();
    assertThat(stalled.changes()).containsExactly("21");
  }

  /** Returns the last frame of the feed of everything. */
  private WeakReference<ByteSlices> frame() {
    ControlledResponseSink reading = underTest.subscribe(StreamRequest.EVERYTHING);
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
    WeakReference<ByteSlices> frame = new WeakReference<>(reading.last());
    assertThat(reading.changes()).hasSize(1);
    reading.subscription().transportClosed(ClientEnd.CLIENT);
    reading.sent.clear();
    underTest.run();
    return frame;
  }

  @Test
  void stalledStream_releasesItsRevisionAboveTheLimit() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink stalled = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    ControlledResponseSink ends =
        underTest
            .subscribe(StreamRequest.EVERYTHING.lagging(LagPolicy.LAG_POLICY_DISCONNECT))
            .stalled();
    WeakReference<Revision> standing = head();
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
    underTest.pass(Duration.ofMillis(2_200));
    assertThat(standing.get()).as("what was sent last").isNotNull();

    addManyChanges();
    underTest.pass(Duration.ofMillis(2_200));

    assertCollected(standing);
    assertThat(ends.refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_LAGGED);
    stalled.read();
    underTest.run();
    assertThat(stalled.lastResponse().hasSynced()).isTrue();
    assertThat(stalled.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  @Test
  void unreadSnapshot_releasesItsRevision() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink stalled = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    addManyChanges();
    underTest.pass(Duration.ofMillis(2_200));
    WeakReference<Revision> decided = head(); // a snapshot will follow
    addManyChanges();
    underTest.pass(Duration.ofMillis(2_200));

    assertCollected(decided);
    stalled.read();
    underTest.run();
    assertThat(stalled.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  @Test
  void feedWithoutStreams_isRemovedFromTheIndex() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink other = underTest.subscribe(StreamRequest.EVERYTHING);
    StreamRequest asking = StreamRequest.labels("app!=x");
    ControlledResponseSink sink = underTest.subscribe(asking);
    WeakReference<Feed> feed = feed(asking);
    assertThat(feed.get()).isNotNull();
    assertThat(underTest.routers.feeds()).isEqualTo(2);

    sink.subscription().transportClosed(ClientEnd.CLIENT);
    sink.subscription = null;
    underTest.run();

    assertThat(underTest.routers.feeds()).isEqualTo(1);
    assertCollected(feed);
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
    assertThat(other.changes()).containsExactly("21");
  }

  private WeakReference<Feed> feed(StreamRequest asking) {
    try {
      RouterRegistry.Lease lease =
          underTest.routers.open(underTest.writer.cache(), asking.selection(), asking.format());
      WeakReference<Feed> feed = new WeakReference<>(lease.feed());
      lease.close();
      return feed;
    } catch (ApiException e) {
      throw new AssertionError(e);
    }
  }
}
