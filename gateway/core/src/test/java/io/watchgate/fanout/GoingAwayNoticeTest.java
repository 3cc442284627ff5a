package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.cache.UpstreamState;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of streams that are asked to reconnect elsewhere. */
final class GoingAwayNoticeTest {
  private static final SampleObject A = SampleObject.of("n1", "a", 5);

  private final CacheUnderTest underTest = new CacheUnderTest();

  private static @Nullable ErrorReason end(ControlledResponseSink sink) {
    ApiError refusal = sink.refusal();
    return refusal == null ? null : refusal.reason();
  }

  private void depart(ControlledResponseSink sink) {
    sink.subscription().goAway(GoingAwayNotice.draining(), Duration.ZERO);
    underTest.run();
  }

  private List<SampleObject> many() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).padding(10_000));
    }
    return objects;
  }

  /** Returns a stream that is blocked after a part of its snapshot. */
  private ControlledResponseSink inTheMiddleOfASnapshot() {
    underTest.writer.list(10, many());
    ControlledResponseSink sink = new ControlledResponseSink();
    sink.onSend = () -> sink.ready = sink.sent.size() < 4;
    underTest.open(StreamRequest.EVERYTHING, sink);
    underTest.run();
    assertThat(sink.responses()).noneMatch(ListAndWatchResponse::hasSynced);
    return sink;
  }

  @Test
  void caughtUpStream_endsAtOnceWithItsPosition() {
    underTest.writer.list(10, A);
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
    underTest.writer.put(A.at(11));
    underTest.run();

    depart(sink);

    ListAndWatchResponse last = sink.lastResponse();
    assertThat(last.getGoingAway().getReason())
        .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_DRAINING);
    assertThat(last.getResourceVersion()).isEqualTo("11");
    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
    assertThat(Objects.requireNonNull(sink.refusal()).retryAfter()).isPositive();
  }

  @Test
  void streamInASnapshot_endsAfterIt() {
    ControlledResponseSink sink = inTheMiddleOfASnapshot();

    depart(sink);
    assertThat(end(sink)).isNull();
    sink.onSend = () -> {};
    sink.read();
    underTest.run();

    List<ListAndWatchResponse> responses = sink.responses();
    assertThat(responses.get(responses.size() - 2).hasSynced()).isTrue();
    assertThat(responses.getLast().hasGoingAway()).isTrue();
    assertThat(responses.getLast().getResourceVersion()).isEqualTo("10");
    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void streamInASnapshot_goAwayNow_endsWithoutPosition() {
    ControlledResponseSink sink = inTheMiddleOfASnapshot();

    sink.subscription().goAwayNow(GoingAwayNotice.draining());
    underTest.run();

    assertThat(sink.lastResponse().hasGoingAway()).isTrue();
    assertThat(sink.lastResponse().getResumeToken().isEmpty()).isTrue();
    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void waitingForTheType_endsAtOnce() {
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);

    depart(sink);

    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void goAwayWithDelay_isServedUntilThen() {
    underTest.writer.list(10, A);
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
    sink.subscription().goAway(GoingAwayNotice.draining(), Duration.ofSeconds(2));
    underTest.pass(Duration.ofSeconds(1));
    underTest.writer.put(A.at(11));
    underTest.run();
    assertThat(sink.changes()).containsExactly("11");
    assertThat(end(sink)).isNull();

    underTest.pass(Duration.ofMillis(1_200));

    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  /** While the apiserver does not answer, the client would not be admitted again. */
  @Test
  void maximumAge_apiserverAway_endsNothingUntilItAnswers() {
    underTest.writer.list(10, A);
    ControlledResponseSink sink =
        underTest.subscribe(StreamRequest.EVERYTHING.bookmarks(Duration.ofSeconds(10)));
    underTest.writer.upstream(UpstreamState.ReflectorPhase.DISCONNECTED, null);

    for (int i = 0; i < 360; i++) {
      underTest.time.advance(Duration.ofSeconds(10));
      underTest.run();
    }
    assertThat(end(sink)).isNull();

    underTest.writer.upstream(UpstreamState.ReflectorPhase.WATCHING, null);
    underTest.pass(Duration.ofSeconds(20));
    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_STREAM_AGE);
  }

  @Test
  void maximumAge_variesByAFifth() {
    underTest.writer.list(10, A);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      sinks.add(underTest.subscribe(StreamRequest.EVERYTHING.bookmarks(Duration.ofSeconds(10))));
    }
    long left = 0;
    for (int minute = 1; minute <= 37; minute++) {
      for (int i = 0; i < 6; i++) {
        underTest.time.advance(Duration.ofSeconds(10));
        underTest.run();
      }
      left = sinks.stream().filter(sink -> end(sink) != null).count();
      if (minute < 24) {
        assertThat(left).as("after %s min", minute).isZero();
      } else if (minute == 30) {
        assertThat(left).isBetween(5L, 45L);
      }
    }
    assertThat(left).isEqualTo(50);
    assertThat(sinks)
        .allSatisfy(
            sink -> {
              assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_STREAM_AGE);
              assertThat(sink.lastResponse().getGoingAway().getReason())
                  .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE);
              assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("10");
            });
  }
}
