package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
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

  private final CacheUnderTest underTest = new CacheUnderTest();

  @BeforeEach
  void listed() {
    underTest.writer.list(10, OBJECT);
  }

  private static List<ListAndWatchResponse> bookmarks(ControlledResponseSink sink) {
    return sink.responses().stream().filter(ListAndWatchResponse::hasBookmark).toList();
  }

  /** Advances the time without running the router. */
  private void passWithoutRouting(Duration duration) {
    underTest.time.advance(duration);
    underTest.owning.runAll();
  }

  @Test
  void bookmark_hasTheRoutedVersionAndNotTheHead() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    underTest.writer.put(OBJECT.at(11));
    passWithoutRouting(Duration.ofSeconds(1));
    assertThat(bookmarks(sink)).extracting("resourceVersion").containsExactly("10");

    underTest.run();
    underTest.pass(Duration.ofSeconds(1));
    assertThat(bookmarks(sink)).extracting("resourceVersion").containsExactly("10", "11");
    assertThat(sink.responses().getLast().hasBookmark()).isTrue();
    assertThat(sink.changes()).containsExactly("11");
  }

  @Test
  void bookmark_isSentAfterTheRoutedChanges() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    sink.stalled();
    underTest.writer.put(OBJECT.at(11));
    underTest.run();
    underTest.pass(Duration.ofSeconds(1)); // a bookmark is due, and blocked
    underTest.writer.put(OBJECT.at(12));
    underTest.routing.runAll();
    sink.ready = true;
    sink.subscription().wake();
    underTest.owning.runAll();

    List<ListAndWatchResponse> responses = sink.responses();
    ListAndWatchResponse last = responses.getLast();
    assertThat(last.hasBookmark()).isTrue();
    assertThat(last.getResourceVersion()).isEqualTo("12");
    assertThat(sink.changes()).containsExactly("11", "12");
  }

  @Test
  void quietFeed_bookmarkFollowsTheVersionOfTheType() {
    ControlledResponseSink quiet =
        underTest.subscribe(StreamRequest.labels("app=none").bookmarks(Duration.ofSeconds(1)));
    underTest.writer.put(OBJECT.at(11));
    underTest.writer.bookmark(20);
    underTest.run();
    underTest.pass(Duration.ofSeconds(1));

    assertThat(bookmarks(quiet)).extracting("resourceVersion").containsExactly("20");
    assertThat(quiet.changes()).isEmpty();
  }

  @Test
  void bookmarksDueInOneTick_areEncodedOncePerFeed() {
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      sinks.add(underTest.subscribe(EACH_SECOND));
    }
    ControlledResponseSink otherFeed =
        underTest.subscribe(StreamRequest.labels("app!=x").bookmarks(Duration.ofSeconds(1)));
    for (int tick = 0; tick < 3; tick++) {
      underTest.pass(Duration.ofSeconds(1));
      ByteSlices shared = sinks.getFirst().last();
      assertThat(sinks)
          .allSatisfy(
              sink -> {
                assertThat(sink.lastResponse().hasBookmark()).isTrue();
                assertThat(sink.last()).isSameAs(shared);
              });
      assertThat(otherFeed.lastResponse().hasBookmark()).isTrue();
      assertThat(otherFeed.last()).isNotSameAs(shared);
    }
  }

  @Test
  void busyStream_getsBookmarksWithTheTimeOfProof() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    for (int i = 0; i < 100; i++) {
      underTest.writer.put(OBJECT.at(11 + i));
      underTest.writer.prove();
      underTest.pass(Duration.ofMillis(50));
    }
    List<ListAndWatchResponse> bookmarks = bookmarks(sink);
    assertThat(bookmarks).hasSizeBetween(4, 6);
    for (int i = 1; i < bookmarks.size(); i++) {
      assertThat(bookmarks.get(i).getBookmark().getVerifiedAt().getSeconds())
          .isGreaterThan(bookmarks.get(i - 1).getBookmark().getVerifiedAt().getSeconds());
    }
    assertThat(sink.changes()).hasSize(100);
  }

  /** The later proof is for a state that is not routed yet. */
  @Test
  void oldPosition_doesNotGetALaterProof() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    long proven = underTest.time.source().now().getEpochSecond();
    underTest.time.advance(Duration.ofMillis(700));
    underTest.time.advance(Duration.ofMillis(299));
    underTest.writer.put(OBJECT.at(11));
    underTest.writer.prove();
    passWithoutRouting(Duration.ofMillis(1));

    ListAndWatchResponse bookmark = bookmarks(sink).getFirst();
    assertThat(bookmark.getResourceVersion()).isEqualTo("10");
    assertThat(bookmark.getBookmark().getVerifiedAt().getSeconds()).isEqualTo(proven);
    assertThat(bookmark.getBookmark().getVerifiedAt().getNanos()).isZero();
  }

  /** An older event may still come, of an object that was created and deleted before the proof. */
  @Test
  void proofOfOneRevision_isNotToldOfTheNext() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    Instant listed = underTest.time.source().now();
    underTest.pass(Duration.ofMillis(500));
    Instant proven = underTest.time.source().now();
    underTest.writer.proveEqual(15);
    underTest.pass(Duration.ofMillis(600));
    assertThat(bookmarks(sink)).extracting(BookmarkTest::verifiedAt).containsExactly(proven);

    underTest.writer.put(OBJECT.at(11));
    passWithoutRouting(Duration.ofMillis(10));
    underTest.pass(Duration.ofSeconds(1));
    ListAndWatchResponse later = bookmarks(sink).getLast();
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
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND.batching(Duration.ofSeconds(10)));
    underTest.time.advance(Duration.ofMillis(500));
    underTest.writer.list(5, OBJECT.uid("restored").at(4));
    underTest.writer.prove();
    underTest.pass(Duration.ofSeconds(20));

    assertThat(bookmarks(sink))
        .filteredOn(bookmark -> bookmark.getResourceVersion().equals("10"))
        .allMatch(bookmark -> !bookmark.getBookmark().hasVerifiedAt());
    assertThat(bookmarks(sink).getLast().getResourceVersion()).isEqualTo("5");
    assertThat(bookmarks(sink).getLast().getBookmark().hasVerifiedAt()).isTrue();
  }

  /**
   * The stream was sent no change since, and the proof of the type covers changes that it lacks.
   */
  @Test
  void laggingStream_bookmarkHasNoProof() {
    ControlledResponseSink sink = underTest.subscribe(EACH_SECOND);
    sink.stalled();
    underTest.writer.put(OBJECT.at(11));
    underTest.run();
    underTest.pass(Duration.ofSeconds(10)); // it leaves the log of the feed
    underTest.writer.prove();
    sink.ready = true;
    sink.subscription().wake();
    underTest.owning.runAll();

    ListAndWatchResponse bookmark = bookmarks(sink).getFirst();
    assertThat(bookmark.getResourceVersion()).isEqualTo("10");
    assertThat(bookmark.getBookmark().hasVerifiedAt()).isFalse();
    assertThat(bookmark.getBookmark().hasSentAt()).isTrue();

    underTest.run();
    underTest.pass(Duration.ofSeconds(1));
    assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("11");
    assertThat(sink.lastResponse().getBookmark().hasVerifiedAt()).isTrue();
  }
}
