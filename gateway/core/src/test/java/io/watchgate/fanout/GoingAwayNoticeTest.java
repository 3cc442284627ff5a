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

  private final CacheUnderTest stage = new CacheUnderTest();

  private static @Nullable ErrorReason end(ControlledResponseSink outlet) {
    ApiError refusal = outlet.refusal();
    return refusal == null ? null : refusal.reason();
  }

  private void depart(ControlledResponseSink outlet) {
    outlet.subscription().goAway(GoingAwayNotice.draining(), Duration.ZERO);
    stage.run();
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
    stage.writer.list(10, many());
    ControlledResponseSink outlet = new ControlledResponseSink();
    outlet.onSend = () -> outlet.ready = outlet.sent.size() < 4;
    stage.open(StreamRequest.EVERYTHING, outlet);
    stage.run();
    assertThat(outlet.responses()).noneMatch(ListAndWatchResponse::hasSynced);
    return outlet;
  }

  @Test
  void caughtUpStream_endsAtOnceWithItsPosition() {
    stage.writer.list(10, A);
    ControlledResponseSink outlet = stage.subscribe(StreamRequest.EVERYTHING);
    stage.writer.put(A.at(11));
    stage.run();

    depart(outlet);

    ListAndWatchResponse last = outlet.lastResponse();
    assertThat(last.getGoingAway().getReason())
        .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_DRAINING);
    assertThat(last.getResourceVersion()).isEqualTo("11");
    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
    assertThat(Objects.requireNonNull(outlet.refusal()).retryAfter()).isPositive();
  }

  @Test
  void streamInASnapshot_endsAfterIt() {
    ControlledResponseSink outlet = inTheMiddleOfASnapshot();

    depart(outlet);
    assertThat(end(outlet)).isNull();
    outlet.onSend = () -> {};
    outlet.read();
    stage.run();

    List<ListAndWatchResponse> responses = outlet.responses();
    assertThat(responses.get(responses.size() - 2).hasSynced()).isTrue();
    assertThat(responses.getLast().hasGoingAway()).isTrue();
    assertThat(responses.getLast().getResourceVersion()).isEqualTo("10");
    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void streamInASnapshot_goAwayNow_endsWithoutPosition() {
    ControlledResponseSink outlet = inTheMiddleOfASnapshot();

    outlet.subscription().goAwayNow(GoingAwayNotice.draining());
    stage.run();

    assertThat(outlet.lastResponse().hasGoingAway()).isTrue();
    assertThat(outlet.lastResponse().getResumeToken().isEmpty()).isTrue();
    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void waitingForTheType_endsAtOnce() {
    ControlledResponseSink outlet = stage.subscribe(StreamRequest.EVERYTHING);

    depart(outlet);

    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  @Test
  void goAwayWithDelay_isServedUntilThen() {
    stage.writer.list(10, A);
    ControlledResponseSink outlet = stage.subscribe(StreamRequest.EVERYTHING);
    outlet.subscription().goAway(GoingAwayNotice.draining(), Duration.ofSeconds(2));
    stage.pass(Duration.ofSeconds(1));
    stage.writer.put(A.at(11));
    stage.run();
    assertThat(outlet.changes()).containsExactly("11");
    assertThat(end(outlet)).isNull();

    stage.pass(Duration.ofMillis(1_200));

    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_DRAINING);
  }

  /** While the apiserver does not answer, the client would not be admitted again. */
  @Test
  void maximumAge_apiserverAway_endsNothingUntilItAnswers() {
    stage.writer.list(10, A);
    ControlledResponseSink outlet =
        stage.subscribe(StreamRequest.EVERYTHING.bookmarks(Duration.ofSeconds(10)));
    stage.writer.upstream(UpstreamState.ReflectorPhase.DISCONNECTED, null);

    for (int i = 0; i < 360; i++) {
      stage.time.advance(Duration.ofSeconds(10));
      stage.run();
    }
    assertThat(end(outlet)).isNull();

    stage.writer.upstream(UpstreamState.ReflectorPhase.WATCHING, null);
    stage.pass(Duration.ofSeconds(20));
    assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_STREAM_AGE);
  }

  @Test
  void maximumAge_variesByAFifth() {
    stage.writer.list(10, A);
    List<ControlledResponseSink> outlets = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      outlets.add(stage.subscribe(StreamRequest.EVERYTHING.bookmarks(Duration.ofSeconds(10))));
    }
    long left = 0;
    for (int minute = 1; minute <= 37; minute++) {
      for (int i = 0; i < 6; i++) {
        stage.time.advance(Duration.ofSeconds(10));
        stage.run();
      }
      left = outlets.stream().filter(outlet -> end(outlet) != null).count();
      if (minute < 24) {
        assertThat(left).as("after %s min", minute).isZero();
      } else if (minute == 30) {
        assertThat(left).isBetween(5L, 45L);
      }
    }
    assertThat(left).isEqualTo(50);
    assertThat(outlets)
        .allSatisfy(
            outlet -> {
              assertThat(end(outlet)).isEqualTo(ErrorReason.ERROR_REASON_STREAM_AGE);
              assertThat(outlet.lastResponse().getGoingAway().getReason())
                  .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE);
              assertThat(outlet.lastResponse().getResourceVersion()).isEqualTo("10");
            });
  }
}
