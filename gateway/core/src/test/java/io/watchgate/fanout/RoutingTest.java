package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ChangeEncoder;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.ProtoEventEncoder;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.RemovalReason;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of routing changes to feeds, and of joining feeds. */
final class RoutingTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5);

  private final CacheUnderTest underTest = new CacheUnderTest();

  /** Subscribes with different selections that all select every object of these tests. */
  private List<ControlledResponseSink> subscribe(int feeds) {
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < feeds; i++) {
      sinks.add(underTest.open(StreamRequest.labels("app!=x" + i), new ControlledResponseSink()));
    }
    underTest.run();
    return sinks;
  }

  @Test
  void joining_doesNotBlockTheWriter() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink first = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink joining =
        underTest.open(StreamRequest.labels("app!=x"), new ControlledResponseSink());
    underTest.owning.runAll();
    underTest.replaying.runAll(); // the matching objects are found
    underTest.owning.runAll(); // it waits for the router, which does not run
    for (int i = 0; i < 1_000; i++) {
      underTest.writer.put(OBJECT.at(11 + i));
    }
    assertThat(underTest.writer.head().version().digits()).isEqualTo("1010");
    assertThat(underTest.routing.waiting()).as("one task, however much there is").isEqualTo(1);
    assertThat(joining.changes()).isEmpty();

    underTest.run();
    underTest.pass(Duration.ofMillis(100));
    assertThat(joining.changes()).hasSize(1_000).isEqualTo(first.changes());
  }

  /** A router that is never idle under load must not keep streams from joining. */
  @Test
  void joining_doesNotWaitUntilTheRouterHasCaughtUp() {
    underTest.writer.list(10, OBJECT);
    underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink joining =
        underTest.open(StreamRequest.labels("app!=x"), new ControlledResponseSink());
    underTest.owning.runAll();
    underTest.replaying.runAll(); // the matching objects are found
    underTest.owning.runAll(); // it waits for the router
    for (int i = 0; i < 1_000; i++) {
      underTest.writer.put(OBJECT.at(11 + i));
    }
    underTest.routing.runOne();
    for (int i = 0; i < 10; i++) {
      underTest.time.advance(Duration.ofMillis(10));
      underTest.replaying.runAll();
      underTest.owning.runAll();
    }
    assertThat(underTest.routing.waiting()).as("the router has more to do").isEqualTo(1);
    assertThat(joining.changes()).hasSizeBetween(1, 100);

    underTest.run();
    underTest.pass(Duration.ofMillis(100));
    assertThat(joining.changes()).hasSize(1_000);
  }

  @Test
  void changeForFiveThousandFeeds_isOneTaskOfTheLoop() {
    underTest.writer.list(10, OBJECT);
    List<ControlledResponseSink> sinks = subscribe(5_000);
    int opened = sinks.getFirst().sent.size();
    for (int i = 0; i < 3; i++) {
      underTest.writer.put(OBJECT.at(11 + i));
      underTest.routing.runAll();
    }
    assertThat(underTest.owning.waiting()).isEqualTo(1);
    assertThat(sinks).as("the router sends nothing").allMatch(o -> o.sent.size() == opened);

    int tasks = 0;
    while (underTest.owning.runOne()) {
      tasks++;
    }
    assertThat(tasks).as("at most 512 turns in each").isLessThanOrEqualTo(5_000 / 512 + 2);
    assertThat(sinks).allSatisfy(sink -> assertThat(sink.changes()).hasSize(3));
    assertThat(sinks).allMatch(sink -> sink.sent.size() == opened + 1);
  }

  @Test
  void changeThatNoFeedSelects_schedulesNoTask() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink other = underTest.subscribe(StreamRequest.of(List.of("n2"), "", ""));
    int had = other.sent.size();
    underTest.writer.put(OBJECT.at(11));
    underTest.routing.runAll();

    assertThat(underTest.owning.waiting()).isZero();
    assertThat(other.sent).hasSize(had);
  }

  /** A revision drops its changes when it is trimmed, even while a thread reads them. */
  @Test
  void recreationInATrimmedRevision_isInferred() {
    CacheUnderTest small = CacheUnderTest.ofShortHistory();
    small.writer.list(10, OBJECT);
    small.writer.put(OBJECT.at(11).uid("another"));
    Revision recreated = small.writer.head();
    List<Change> changes = recreated.changes();
    for (int i = 0; i < 50; i++) {
      small.writer.put(OBJECT.at(12 + i).uid("another"));
    }
    assertThat(recreated.changes()).isEmpty();

    ByteSlices deleted =
        new ChangeEncoder(new ProtoEventEncoder(ObjectProjection.FULL))
            .event(recreated, changes, changes.getFirst(), true, false)
            .event();
    assertThat(RecordingResponseSink.parse(deleted).getEvents(0).getRemovalReason())
        .isEqualTo(RemovalReason.REMOVAL_REASON_INFERRED);
  }

  /** A router that kept its log would make frames of every change for it. */
  @Test
  void feedThatIsLeft_isReleasedWhileAnotherIsFollowed() throws ApiException {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink following = underTest.subscribe(StreamRequest.EVERYTHING);
    WeakReference<Feed> left = joinAndLeave(StreamRequest.labels("app!=x"));
    underTest.writer.put(OBJECT.at(11));
    underTest.run();

    assertThat(following.changes()).containsExactly("11");
    await()
        .until(
            () -> {
              System.gc();
              return left.refersTo(null);
            });
  }

  private WeakReference<Feed> joinAndLeave(StreamRequest asking) throws ApiException {
    RouterRegistry.Lease lease =
        underTest.routers.open(underTest.writer.cache(), asking.selection(), asking.format());
    List<JoinPoint> joined = new ArrayList<>();
    lease.router().attach(lease.feed(), underTest.writer.head(), new Joining(joined));
    underTest.run();
    joined.getFirst().release();
    lease.router().detach(lease.feed());
    lease.close();
    underTest.run();
    return new WeakReference<>(lease.feed());
  }

  private record Joining(List<JoinPoint> joined) implements ChangeRouter.Attachment {
    @Override
    public void attached(JoinPoint joinPoint) {
      joined.add(joinPoint);
    }

    @Override
    public void failed() {
      throw new AssertionError("the stream could not join");
    }
  }

  /**
   * Without followers the router keeps up with the head, and starts there for the next follower.
   */
  @Test
  void lastFollower_leavesNothingForTheNext() {
    underTest.writer.list(10, OBJECT);
    for (int i = 0; i < 20; i++) {
      ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
      underTest.writer.put(OBJECT.at(11 + i));
      underTest.run();
      assertThat(sink.changes()).containsExactly("" + (11 + i));
      sink.subscription().transportClosed(ClientEnd.CLIENT);
      underTest.run();
      assertThat(underTest.routers.feeds()).isZero();
    }
  }
}
