package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.Upstream;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.SampleProjection;
import io.watchgate.error.ApiException;
import io.watchgate.json.JsonException;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that resumed streams get each change since their token once, however many streams resume.
 */
final class ReplayTest {
  /** More changes than the router replays itself. */
  private static final int MANY = 200;

  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5);
  private static final Duration COLLECTED = Duration.ofMillis(100);

  private CacheUnderTest underTest = new CacheUnderTest();
  private long version = 10;

  private void addChanges(int changes) {
    for (int i = 0; i < changes; i++) {
      underTest.writer.put(OBJECT.at(++version));
    }
  }

  /** Returns a request that resumes from the current position. */
  private StreamRequest resuming(StreamRequest asking) {
    ControlledResponseSink sink = underTest.subscribe(asking);
    ByteString token = sink.lastResponse().getResumeToken();
    sink.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    try {
      return asking.from(new StartPoint.Token(asking.tokens().check(token)));
    } catch (ApiException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> versions(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(Long::toString).toList();
  }

  @Test
  void thousandReconnectingSelections_areOnePass() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink live = underTest.subscribe(StreamRequest.EVERYTHING);
    List<StreamRequest> back = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      back.add(resuming(StreamRequest.labels("app!=x" + i)));
    }
    addChanges(MANY);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (StreamRequest asking : back) {
      sinks.add(underTest.open(asking, new ControlledResponseSink()));
    }
    underTest.routing.runAll();
    underTest.owning.runAll();
    underTest.routing.runAll();
    underTest.owning.runAll();
    assertThat(underTest.replaying.waiting()).as("they are collected first").isZero();
    underTest.time.advance(Duration.ofMillis(50));
    assertThat(underTest.replaying.waiting()).isEqualTo(1);
    underTest.replaying.runOne();
    underTest.owning.runOne();
    underTest.run();
    underTest.pass(COLLECTED);

    for (ControlledResponseSink sink : sinks) {
      assertThat(sink.sent).as("opened, resumed, all there is").hasSizeLessThanOrEqualTo(5);
      ByteSlices changes = sink.sent.get(2);
      assertThat(changes.array(0))
          .as("what was encoded for the first is what all are sent")
          .isSameAs(sinks.getFirst().sent.get(2).array(0));
    }
    assertThat(sinks.getLast().changes()).isEqualTo(live.changes()).hasSize(MANY);
  }

  /** A pass builds 65,536 frames; this test needs more. */
  @Test
  void streamsBeyondTheFrameLimit_askAgainWithoutLoss() {
    underTest.writer.list(10, OBJECT);
    List<StreamRequest> back = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      back.add(resuming(StreamRequest.labels("app!=x" + i)));
    }
    addChanges(MANY);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (StreamRequest asking : back) {
      sinks.add(underTest.open(asking, new ControlledResponseSink()));
    }
    underTest.run();
    addChanges(10);
    underTest.pass(COLLECTED);
    addChanges(10);
    underTest.pass(COLLECTED);

    assertThat(sinks)
        .allSatisfy(
            sink -> {
              assertThat(sink.changes()).isEqualTo(versions(11, version));
              assertThat(sink.responses()).noneMatch(ListAndWatchResponse::hasSnapshotStarted);
              assertThat(sink.responses()).noneMatch(ListAndWatchResponse::hasNetEffectStarted);
            });
  }

  @Test
  void streamsFromDifferentPositions_shareOneLog() {
    underTest.writer.list(10, OBJECT);
    List<StreamRequest> back = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      back.add(resuming(StreamRequest.EVERYTHING));
      addChanges(MANY);
    }
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (StreamRequest asking : back) {
      sinks.add(underTest.open(asking, new ControlledResponseSink()));
      sinks.add(underTest.open(asking, new ControlledResponseSink()));
    }
    underTest.run();
    underTest.pass(COLLECTED);
    addChanges(3);
    underTest.run();

    for (int i = 0; i < sinks.size(); i++) {
      long from = 11 + (long) (i / 2) * MANY;
      assertThat(sinks.get(i).changes()).isEqualTo(versions(from, version));
      assertThat(sinks.get(i).last()).isSameAs(sinks.getFirst().last());
    }
  }

  @Test
  void listDuringReplay_sendsANetEffectBetweenTheChanges() {
    underTest.writer.list(10, OBJECT);
    StreamRequest back = resuming(StreamRequest.EVERYTHING);
    addChanges(MANY);
    version += 50;
    underTest.writer.list(version, OBJECT.at(version - 5));
    addChanges(MANY);
    ControlledResponseSink sink = underTest.open(back, new ControlledResponseSink());
    underTest.run();
    underTest.pass(COLLECTED);
    underTest.pass(COLLECTED);

    List<String> expected = new ArrayList<>(versions(11, 10 + MANY));
    expected.addAll(versions(10 + MANY + 50 + 1, version));
    assertThat(sink.changes()).isEqualTo(expected);
    assertThat(sink.responses()).filteredOn(ListAndWatchResponse::hasNetEffectStarted).hasSize(1);
    assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  @Test
  void changesTrimmedBeforeThePass_areSentAsANetEffect() {
    underTest = CacheUnderTest.ofShortHistory();
    underTest.writer.list(10, OBJECT);
    StreamRequest back = resuming(StreamRequest.EVERYTHING);
    addChanges(10);
    ControlledResponseSink sink = underTest.open(back, new ControlledResponseSink());
    underTest.owning.runAll(); // its base was found in history, and it requests a join point
    addChanges(17); // more than history keeps
    underTest.run();
    underTest.pass(COLLECTED);

    assertThat(sink.refusal()).isNull();
    assertThat(sink.responses()).filteredOn(ListAndWatchResponse::hasNetEffectStarted).hasSize(1);
    addChanges(1);
    underTest.run();
    assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(sink.changes()).endsWith("" + version);
  }

  /** No apiserver sends JSON that is broken in a part which only some projections parse. */
  @Test
  void unencodableEvent_endsOnlyTheStreamsOfItsProjection() throws JsonException {
    underTest.writer.list(10, OBJECT);
    StreamRequest looking =
        StreamRequest.EVERYTHING.projected(SampleProjection.including("/metadata/x/b"));
    StreamRequest whole = resuming(StreamRequest.EVERYTHING);
    StreamRequest part = resuming(looking);
    addChanges(MANY);
    underTest.writer.put(new SampleObject("n1", "a", "u-a", "" + ++version, "\"x\":{\"a\" 1},", 0));
    addChanges(MANY);
    ControlledResponseSink ends = underTest.open(part, new ControlledResponseSink().failing());
    ControlledResponseSink goesOn = underTest.open(whole, new ControlledResponseSink());
    underTest.run();
    underTest.pass(COLLECTED);

    assertThat(ends.hasFailed()).isTrue();
    assertThat(goesOn.changes()).isEqualTo(versions(11, version));
    addChanges(1);
    underTest.run();
    assertThat(goesOn.changes()).endsWith("" + version);
    assertThat(underTest.routers.feeds()).isEqualTo(1);
  }

  /**
   * History drops the base of one waiting stream. Older changes are fetched for another stream of
   * the same pass; they end after the base of the first stream, which is not among them.
   */
  @Test
  void skippedBase_getsAGap() {
    CacheUnderTest aging =
        new CacheUnderTest(CacheWriter.settings().withHistory(Duration.ofMinutes(1), 1L << 30));
    aging.writer.list(10, OBJECT);
    aging.writer.put(OBJECT.at(11));
    Revision lost = aging.writer.head();
    aging.writer.put(OBJECT.at(12));
    aging.time.advance(Duration.ofMinutes(2));
    aging.writer.put(OBJECT.at(13));
    aging.writer.put(OBJECT.at(14));
    assertThat(lost.isTrimmed()).isTrue();
    long oldest =
        Long.parseLong(Objects.requireNonNull(aging.writer.cache().oldest()).version().digits());
    assertThat(
            aging.writer.backfill(
                8,
                List.of(OBJECT),
                watchSink -> {
                  for (long at = 9; at <= oldest; at++) {
                    byte[] bytes = OBJECT.at(at).bytes();
                    watchSink.event(Upstream.EventType.MODIFIED, bytes, 0, bytes.length);
                  }
                }))
        .isTrue();
    Revision fetched =
        Objects.requireNonNull(aging.writer.cache().revisionAtOrBefore(new ResourceVersion("9")));
    assertThat(fetched.number()).isLessThan(lost.number());

    StreamRequest all = StreamRequest.EVERYTHING;
    Feed feed = new Feed(all.selection(), all.format());
    FrameNode end = new FrameNode(10);
    List<JoinPoint> entrances = new ArrayList<>();
    ChangeRouter.Attachment answer =
        new ChangeRouter.Attachment() {
          @Override
          public void attached(JoinPoint joinPoint) {
            entrances.add(joinPoint);
          }

          @Override
          public void failed() {
            throw new AssertionError("no way on");
          }
        };
    Revision until = aging.writer.head();
    new Replay(
            List.of(
                new Replay.Request(feed, lost, until, end, answer),
                new Replay.Request(feed, fetched, until, end, answer)))
        .run();

    assertThat(entrances).hasSize(2);
    assertThat(entrances.getFirst().node().next()).as("fetched").isInstanceOf(LogEntry.Frame.class);
    assertThat(entrances.getLast().node().next()).as("lost").isInstanceOf(LogEntry.Gap.class);
  }

  @Test
  void streamClosedBeforeTheAnswer_leavesNoFollower() {
    underTest.writer.list(10, OBJECT);
    StreamRequest back = resuming(StreamRequest.EVERYTHING);
    addChanges(MANY);
    ControlledResponseSink sink = underTest.open(back, new ControlledResponseSink());
    underTest.owning.runAll();
    underTest.routing.runAll();
    sink.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.owning.runAll();
    underTest.pass(COLLECTED);
    addChanges(1);
    underTest.routing.runAll();

    assertThat(underTest.routers.feeds()).isZero();
    assertThat(underTest.owning.waiting()).as("tasks of the event loop").isZero();
  }
}
