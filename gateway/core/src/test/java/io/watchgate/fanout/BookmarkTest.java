package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the content, the receivers and the time of bookmarks. */
final class BookmarkTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5);
  private static final StreamRequest EACH_SECOND =
      StreamRequest.EVERYTHING.bookmarks(Duration.ofSeconds(1));

  private final CacheUnderTest stage = new CacheUnderTest();

  @BeforeEach
  void listed() {
    stage.writer.list(10, OBJECT);
  }

  private static List<ListAndWatchResponse> bookmarks(ControlledResponseSink outlet) {
    return outlet.responses().stream().filter(ListAndWatchResponse::hasBookmark).toList();
  }

  /** Advances the time without running the router. */
  private void passWithoutRouting(Duration duration) {
    stage.time.advance(duration);
    stage.owning.runAll();
  }

  @Test
  void bookmark_hasTheRoutedVersionAndNotTheHead() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    stage.writer.put(OBJECT.at(11));
    passWithoutRouting(Duration.ofSeconds(1));
    assertThat(bookmarks(outlet)).extracting("resourceVersion").containsExactly("10");

    stage.run();
    stage.pass(Duration.ofSeconds(1));
    assertThat(bookmarks(outlet)).extracting("resourceVersion").containsExactly("10", "11");
    assertThat(outlet.responses().getLast().hasBookmark()).isTrue();
    assertThat(outlet.changes()).containsExactly("11");
  }

  @Test
  void bookmark_isSentAfterTheRoutedChanges() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    outlet.stalled();
    stage.writer.put(OBJECT.at(11));
    stage.run();
    stage.pass(Duration.ofSeconds(1)); // a bookmark is due, and blocked
    stage.writer.put(OBJECT.at(12));
    stage.routing.runAll();
    outlet.ready = true;
    outlet.subscription().wake();
    stage.owning.runAll();

    List<ListAndWatchResponse> responses = outlet.responses();
    ListAndWatchResponse last = responses.getLast();
    assertThat(last.hasBookmark()).isTrue();
    assertThat(last.getResourceVersion()).isEqualTo("12");
    assertThat(outlet.changes()).containsExactly("11", "12");
  }

  @Test
  void quietFeed_bookmarkFollowsTheVersionOfTheType() {
    ControlledResponseSink quiet =
        stage.subscribe(StreamRequest.labels("app=none").bookmarks(Duration.ofSeconds(1)));
    stage.writer.put(OBJECT.at(11));
    stage.writer.bookmark(20);
    stage.run();
    stage.pass(Duration.ofSeconds(1));

    assertThat(bookmarks(quiet)).extracting("resourceVersion").containsExactly("20");
    assertThat(quiet.changes()).isEmpty();
  }

  @Test
  void bookmarksDueInOneTick_areEncodedOncePerFeed() {
    List<ControlledResponseSink> outlets = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      outlets.add(stage.subscribe(EACH_SECOND));
    }
    ControlledResponseSink otherFeed =
        stage.subscribe(StreamRequest.labels("app!=x").bookmarks(Duration.ofSeconds(1)));
    for (int tick = 0; tick < 3; tick++) {
      stage.pass(Duration.ofSeconds(1));
      ByteSlices shared = outlets.getFirst().last();
      assertThat(outlets)
          .allSatisfy(
              outlet -> {
                assertThat(outlet.lastResponse().hasBookmark()).isTrue();
                assertThat(outlet.last()).isSameAs(shared);
              });
      assertThat(otherFeed.lastResponse().hasBookmark()).isTrue();
      assertThat(otherFeed.last()).isNotSameAs(shared);
    }
  }

  @Test
  void busyStream_getsBookmarksWithTheTimeOfProof() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    for (int i = 0; i < 100; i++) {
      stage.writer.put(OBJECT.at(11 + i));
      stage.writer.prove();
      stage.pass(Duration.ofMillis(50));
    }
    List<ListAndWatchResponse> bookmarks = bookmarks(outlet);
    assertThat(bookmarks).hasSizeBetween(4, 6);
    for (int i = 1; i < bookmarks.size(); i++) {
      assertThat(bookmarks.get(i).getBookmark().getVerifiedAt().getSeconds())
          .isGreaterThan(bookmarks.get(i - 1).getBookmark().getVerifiedAt().getSeconds());
    }
    assertThat(outlet.changes()).hasSize(100);
  }

  /** The later proof is for a state that is not routed yet. */
  @Test
  void oldPosition_doesNotGetALaterProof() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    long proven = stage.time.source().now().getEpochSecond();
    stage.time.advance(Duration.ofMillis(700));
    stage.time.advance(Duration.ofMillis(299));
    stage.writer.put(OBJECT.at(11));
    stage.writer.prove();
    passWithoutRouting(Duration.ofMillis(1));

    ListAndWatchResponse bookmark = bookmarks(outlet).getFirst();
    assertThat(bookmark.getResourceVersion()).isEqualTo("10");
    assertThat(bookmark.getBookmark().getVerifiedAt().getSeconds()).isEqualTo(proven);
    assertThat(bookmark.getBookmark().getVerifiedAt().getNanos()).isZero();
  }

  /** An older event may still come, of an object that was created and deleted before the proof. */
  @Test
  void proofOfOneRevision_isNotToldOfTheNext() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    Instant listed = stage.time.source().now();
    stage.pass(Duration.ofMillis(500));
    Instant proven = stage.time.source().now();
    stage.writer.proveEqual(15);
    stage.pass(Duration.ofMillis(600));
    assertThat(bookmarks(outlet)).extracting(BookmarkTest::verifiedAt).containsExactly(proven);

    stage.writer.put(OBJECT.at(11));
    passWithoutRouting(Duration.ofMillis(10));
    stage.pass(Duration.ofSeconds(1));
    ListAndWatchResponse later = bookmarks(outlet).getLast();
    assertThat(later.getResourceVersion()).isEqualTo("11");
    assertThat(verifiedAt(later)).isEqualTo(listed);
  }

  private static Instant verifiedAt(ListAndWatchResponse response) {
    Timestamp time = response.getBookmark().getVerifiedAt();
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  /** A proof of the restored cluster says nothing about the state before. */
  @Test
  void positionOfLostHistory_doesNotGetTheProofOfTheNext() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND.batching(Duration.ofSeconds(10)));
    stage.time.advance(Duration.ofMillis(500));
    stage.writer.list(5, OBJECT.uid("restored").at(4));
    stage.writer.prove();
    stage.pass(Duration.ofSeconds(20));

    assertThat(bookmarks(outlet))
        .filteredOn(bookmark -> bookmark.getResourceVersion().equals("10"))
        .allMatch(bookmark -> !bookmark.getBookmark().hasVerifiedAt());
    assertThat(bookmarks(outlet).getLast().getResourceVersion()).isEqualTo("5");
    assertThat(bookmarks(outlet).getLast().getBookmark().hasVerifiedAt()).isTrue();
  }

  /**
   * The stream was sent no change since, and the proof of the type covers changes that it lacks.
   */
  @Test
  void laggingStream_bookmarkHasNoProof() {
    ControlledResponseSink outlet = stage.subscribe(EACH_SECOND);
    outlet.stalled();
    stage.writer.put(OBJECT.at(11));
    stage.run();
    stage.pass(Duration.ofSeconds(10)); // it leaves the log of the feed
    stage.writer.prove();
    outlet.ready = true;
    outlet.subscription().wake();
    stage.owning.runAll();

    ListAndWatchResponse bookmark = bookmarks(outlet).getFirst();
    assertThat(bookmark.getResourceVersion()).isEqualTo("10");
    assertThat(bookmark.getBookmark().hasVerifiedAt()).isFalse();
    assertThat(bookmark.getBookmark().hasSentAt()).isTrue();

    stage.run();
    stage.pass(Duration.ofSeconds(1));
    assertThat(outlet.lastResponse().getResourceVersion()).isEqualTo("11");
    assertThat(outlet.lastResponse().getBookmark().hasVerifiedAt()).isTrue();
  }
}
