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
  private final CacheUnderTest stage = new CacheUnderTest();

  private ControlledResponseSink open(UpstreamFailure failure) {
    stage.writer.upstream(UpstreamState.ReflectorPhase.LOADING, failure);
    return stage.subscribe(StreamRequest.EVERYTHING);
  }

  private static ApiError refusal(ControlledResponseSink outlet) {
    return Objects.requireNonNull(outlet.refusal());
  }

  @Test
  void aMissingRight_isNamedAtOnce() {
    ControlledResponseSink outlet =
        open(new UpstreamFailure.Forbidden("list configmaps: 403 Forbidden: no"));

    assertThat(refusal(outlet).reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN);
    assertThat(refusal(outlet).message())
        .contains("403 Forbidden: no", "An administrator must grant list and watch on configmaps");
  }

  /** The credentials file may have newer ones. */
  @Test
  void refusedCredentials_areWaitedFor_andThenNamed() {
    ControlledResponseSink outlet = open(new UpstreamFailure.Unauthorized("list configmaps: 401"));
    assertThat(outlet.refusal()).isNull();

    stage.pass(Duration.ofSeconds(31));

    assertThat(refusal(outlet).reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN);
    assertThat(refusal(outlet).message()).contains("An administrator must renew the credentials");
  }
}
