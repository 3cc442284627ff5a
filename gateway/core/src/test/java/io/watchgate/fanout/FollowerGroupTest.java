package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.LagPolicy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of streams of one connection that are sent each frame together. */
final class FollowerGroupTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);
  private static final Duration UNTIL_GROUPED = Duration.ofMillis(1_100);

  private final CacheUnderTest underTest = CacheUnderTest.ofShortHistory();
  private final GroupingConnection connection = new GroupingConnection();
  private final List<ControlledResponseSink> sinks = new ArrayList<>();
  private long version = 20;

  private void open(int streams, StreamRequest asking) {
    underTest.writer.list(10, OBJECT);
    for (int i = 0; i < streams; i++) {
      ControlledResponseSink sink = new ControlledResponseSink();
      sink.subscription = underTest.opened(asking, connection.sink(sink));
      sinks.add(sink);
    }
    underTest.run();
    underTest.pass(UNTIL_GROUPED);
    sinks.forEach(sink -> sink.sent.clear());
  }

  private void put() {
    underTest.writer.put(OBJECT.at(++version));
    underTest.run();
  }

  /** Limited by attempts and not by time: next to other tests a collection may take seconds. */
  private static void assertCollected(WeakReference<?> reference) {
    for (int attempt = 0; attempt < 20 && reference.get() != null; attempt++) {
      System.gc();
    }
    assertThat(reference.get() == null).as("it is gone").isTrue();
  }

  private void assertAllHave(String... expected) {
    assertThat(sinks).allSatisfy(sink -> assertThat(sink.changes()).containsExactly(expected));
  }

  @Test
  void streamsOfConnection_areSentEachFrameTogether() {
    open(3, StreamRequest.EVERYTHING);

    put();
    put();

    assertAllHave("21", "22");
    assertThat(connection.met).containsExactly("GROUP_SENT");
    assertThat(sinks.getFirst().sent.getFirst()).isSameAs(sinks.getLast().sent.getFirst());
  }

  @Test
  void moreStreamsThanOneGroupHas_areAllSentTheFrame() {
    open(2 * FollowerGroup.MAX_MEMBERS + 1, StreamRequest.EVERYTHING);

    put();

    assertAllHave("21");
    assertThat(connection.met).containsExactly("GROUP_SENT");
  }

  /** The bookmark leads to a position that no frame of the feed leads to. */
  @Test
  void memberWithBookmark_sendsItAloneAndMissesNothing() {
    open(3, StreamRequest.labels("app=none").bookmarks(Duration.ofSeconds(5)));
    ControlledResponseSink first = sinks.getFirst();
    put();

    first.subscription().sendBookmark();
    underTest.run();

    assertThat(first.lastResponse().hasBookmark()).isTrue();
    assertThat(first.lastResponse().getResourceVersion()).isEqualTo("21");
    underTest.pass(UNTIL_GROUPED);
    underTest.writer.put(SampleObject.of("n1", "b", ++version).app("none"));
    underTest.run();
    assertAllHave("22");
    underTest.pass(Duration.ofSeconds(6));
    assertThat(sinks)
        .allSatisfy(sink -> assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("22"));
  }

  /** Its bookmark led to a position behind that of the group which it joins again. */
  @Test
  void memberThatJoinsAgain_keepsItsPosition() {
    open(3, StreamRequest.labels("app=none"));
    ControlledResponseSink first = sinks.getFirst();
    put();
    first.subscription().sendBookmark();
    underTest.run();
    underTest.pass(UNTIL_GROUPED);

    first.subscription().goAway(GoingAwayNotice.streamAge(), Duration.ZERO);
    underTest.run();

    assertThat(first.lastResponse().hasGoingAway()).isTrue();
    assertThat(first.lastResponse().getResourceVersion()).isEqualTo("21");
  }

  @Test
  void memberThatIsNotReady_makesAllSendForThemselves() {
    open(3, StreamRequest.EVERYTHING);
    ControlledResponseSink slow = sinks.get(1);
    slow.ready = false;

    put();

    assertThat(slow.changes()).isEmpty();
    assertThat(sinks.getFirst().changes()).containsExactly("21");
    assertThat(sinks.getLast().changes()).containsExactly("21");
    slow.read();
    underTest.run();
    assertAllHave("21");
    assertThat(connection.met).containsExactly("GROUP_REFUSED");
  }

  @Test
  void busyConnection_makesTheGroupWaitAndThenSendEverything() {
    open(3, StreamRequest.EVERYTHING);
    connection.setBusy(true);
    put();
    put();
    assertAllHave();

    connection.setBusy(false);
    underTest.run();

    assertThat(sinks)
        .allSatisfy(
            sink -> assertThat(sink.lastResponse().getEventsList()).hasSize(2)); // one response
    put();
    assertAllHave("21", "22", "23");
  }

  @Test
  void groupThatWaitsForSecond_isDissolved() {
    open(3, StreamRequest.EVERYTHING);
    connection.setBusy(true);
    sinks.forEach(sink -> sink.ready = false);
    put();

    underTest.pass(Duration.ofSeconds(3));
    sinks.forEach(ControlledResponseSink::read);
    underTest.run();

    assertThat(sinks)
        .allSatisfy(sink -> assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("21"));
  }

  /** The connection takes each change, but the group is always one behind. */
  @Test
  void groupThatLags_keepsNoSentFrame() {
    open(3, StreamRequest.EVERYTHING);
    SampleObject large = SampleObject.of("n1", "large", ++version).padding(5_000); // sent alone
    connection.setBusy(true);
    underTest.writer.put(large);
    underTest.run();
    WeakReference<Revision> head = new WeakReference<>(underTest.writer.head());
    for (int i = 0; i < 40; i++) {
      underTest.writer.put(large.at(++version));
      underTest.run();
      connection.setRoom(1);
      underTest.run();
      underTest.pass(Duration.ofMillis(100));
    }

    assertCollected(head);
  }

  /** Frames behind history are not kept, no matter how long ago the group began to wait. */
  @Test
  void groupThatWaits_keepsNoFrameBehindHistory() {
    open(3, StreamRequest.EVERYTHING);
    connection.setBusy(true);
    sinks.forEach(sink -> sink.ready = false);
    put();
    WeakReference<Revision> head = new WeakReference<>(underTest.writer.head());
    for (int i = 0; i < 100; i++) {
      put();
    }

    assertCollected(head);
  }

  /** Each joins at another time, before or after others have reached the end of the log. */
  @Test
  void membersThatLeaveAndJoin_keepNoSentFrame() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    open(4, StreamRequest.EVERYTHING);
    for (int round = 0; round < 30; round++) {
      for (ControlledResponseSink sink : sinks) {
        if (random.nextInt(3) == 0) {
          sink.subscription().sendBookmark(); // it leaves for that
          underTest.run();
        }
      }
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        put();
      }
      underTest.pass(UNTIL_GROUPED);
      WeakReference<Revision> head = new WeakReference<>(underTest.writer.head());
      for (int i = 0; i < 100; i++) {
        put();
      }
      assertCollected(head);
    }
  }

  /** After a response that is too large for a full group, groups are smaller. */
  @Test
  void largeResponses_areSentToSmallerGroups() {
    open(FollowerGroup.MAX_MEMBERS, StreamRequest.EVERYTHING);
    SampleObject large = SampleObject.of("n1", "large", ++version).padding(12_000);
    underTest.writer.put(large);
    underTest.run();
    assertThat(connection.met).isEmpty();
    underTest.pass(UNTIL_GROUPED);

    underTest.writer.put(large.at(++version));
    underTest.run();

    assertThat(connection.met).containsExactly("GROUP_SENT");
    assertAllHave("21", "22");
  }

  @Test
  void memberThatEnds_isSentNothing() {
    open(3, StreamRequest.EVERYTHING);
    ControlledResponseSink gone = sinks.removeFirst();

    gone.subscription().transportClosed(ClientEnd.CLIENT);
    put();

    assertAllHave("21");
    assertThat(gone.sent).isEmpty();
  }

  @Test
  void memberThatIsAskedToLeave_endsAtThePositionOfTheGroup() {
    open(3, StreamRequest.EVERYTHING);
    ControlledResponseSink leaving = sinks.removeFirst();
    put();

    leaving.subscription().goAway(GoingAwayNotice.streamAge(), Duration.ZERO);
    underTest.run();
    put();

    assertThat(leaving.lastResponse().hasGoingAway()).isTrue();
    assertThat(leaving.lastResponse().getResourceVersion()).isEqualTo("21");
    assertAllHave("21", "22");
  }

  /** To ask takes it out of its group, which waits with two changes. */
  @Test
  void memberThatIsAskedWhetherItIsCaughtUp_getsTheChanges() {
    open(3, StreamRequest.EVERYTHING);
    connection.setBusy(true);
    put();
    put();
    List<Boolean> left = new ArrayList<>();

    sinks.getFirst().subscription().goAwayIfKeepingUp(GoingAwayNotice.streamAge(), left::add);
    underTest.run();
    connection.setBusy(false);
    underTest.run();

    assertThat(left).containsExactly(false);
    assertAllHave("21", "22");
  }

  /** A list that is not continuous with the state is a gap in the log. */
  @Test
  void gapInLog_isEachStreamsOwn() {
    open(3, StreamRequest.EVERYTHING);

    underTest.writer.list(500, OBJECT.at(400), SampleObject.of("n1", "b", 450));
    underTest.run();

    assertThat(sinks)
        .allSatisfy(sink -> assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("500"));
  }

  @Test
  void streamsThatConflateOrBatch_areInNoGroup() {
    open(3, StreamRequest.EVERYTHING.lagging(LagPolicy.LAG_POLICY_CONFLATE));
    open(3, StreamRequest.EVERYTHING.batching(Duration.ofMillis(100)));

    put();
    underTest.pass(Duration.ofSeconds(1));

    assertThat(connection.met).isEmpty();
    assertAllHave("21");
  }

  /** The third stream accepts less, so its group has to split. */
  @Test
  void frameThatOneMemberCannotReceive_isSentByEachAlone() {
    open(2, StreamRequest.EVERYTHING);
    StreamOptions usual = StreamRequest.EVERYTHING.settings();
    ControlledResponseSink narrow = new ControlledResponseSink();
    narrow.subscription =
        underTest.opened(
            new StreamRequest(
                StreamRequest.EVERYTHING.selection(),
                StreamRequest.EVERYTHING.projection(),
                StreamRequest.EVERYTHING.start(),
                new StreamOptions(
                    usual.lagPolicy(),
                    usual.expiredPositionPolicy(),
                    usual.maxBatchDelay(),
                    usual.bookmarkInterval(),
                    /* maxResponseBytes= */ 4 << 10,
                    null,
                    null)),
            connection.sink(narrow));
    underTest.run();
    underTest.pass(UNTIL_GROUPED);
    put();
    assertThat(narrow.changes()).containsExactly("21");

    underTest.writer.put(OBJECT.at(++version).padding(8_000));
    underTest.run();

    assertAllHave("21", "22");
    assertThat(narrow.lastResponse().getEvents(0).hasOmitted()).isTrue();
    assertThat(connection.met).containsExactly("GROUP_SENT");
  }
}
