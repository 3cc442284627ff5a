package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamState;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of a type that the gateway itself may not read: the error names the remedy. */
final class RefusedGatewayTest {
  private final CacheUnderTest underTest = new CacheUnderTest();

  private ControlledResponseSink open(UpstreamFailure failure) {
    underTest.writer.upstream(UpstreamState.ReflectorPhase.LOADING, failure);
    return underTest.subscribe(StreamRequest.EVERYTHING);
  }

  private static ApiError refusal(ControlledResponseSink sink) {
    return Objects.requireNonNull(sink.refusal());
  }

  @Test
  void aMissingRight_isNamedAtOnce() {
    ControlledResponseSink sink =
        open(new UpstreamFailure.Forbidden("list configmaps: 403 Forbidden: no"));

    assertThat(refusal(sink).reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN);
    assertThat(refusal(sink).message())
        .contains("403 Forbidden: no", "An administrator must grant list and watch on configmaps");
  }

  /** The credentials file may have newer ones. */
  @Test
  void refusedCredentials_areWaitedFor_andThenNamed() {
    ControlledResponseSink sink = open(new UpstreamFailure.Unauthorized("list configmaps: 401"));
    assertThat(sink.refusal()).isNull();

    underTest.pass(Duration.ofSeconds(31));

    assertThat(refusal(sink).reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN);
    assertThat(refusal(sink).message()).contains("An administrator must renew the credentials");
  }
}
