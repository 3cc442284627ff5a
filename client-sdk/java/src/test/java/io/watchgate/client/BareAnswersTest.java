package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of proxies' answers over a real connection, and of the errors that gRPC derives from them.
 */
@Tag("slow")
final class BareAnswersTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final ManualTimers timers = new ManualTimers();
  private final RecordingListener listener = new RecordingListener();
  private BareServer proxy;
  private WatchClient client;

  @BeforeEach
  void connect() throws Exception {
    proxy = new BareServer();
    client = WatchClient.to("127.0.0.1", proxy.port()).timers(timers).build();
  }

  @AfterEach
  void close() {
    client.close();
    proxy.close();
  }

  private WatchError watchOnce() {
    client.watch(ListAndWatchRequest.getDefaultInstance(), listener);
    WatchUpdate.Interrupted interrupted = listener.next(WatchUpdate.Interrupted.class);
    return ((Interruption.Failed) interrupted.cause()).error();
  }

  @ParameterizedTest
  @CsvSource({
    "200, text/html, UNKNOWN",
    "200, application/json, UNKNOWN",
    "301, text/html, UNKNOWN",
    "400, text/html, INTERNAL",
    "401, text/html, UNAUTHENTICATED",
    "403, text/html, PERMISSION_DENIED",
    "404, text/html, UNIMPLEMENTED",
    "405, application/json, UNKNOWN",
    "413, text/html, UNKNOWN",
    "429, text/html, UNAVAILABLE",
    "431, text/html, INTERNAL",
    "500, text/html, UNKNOWN",
    "502, text/html, UNAVAILABLE",
    "503, text/html, UNAVAILABLE",
    "504, text/html, UNAVAILABLE"
  })
  void aPageInPlaceOfAStream_isResumed(int status, String contentType, Status.Code code) {
    proxy.answer(status, contentType);
    WatchError error = watchOnce();

    assertThat(error.action()).isEqualTo(ErrorAction.RESUME);
    assertThat(error.code()).isEqualTo(code);
    assertThat(error.origin()).isEqualTo(WatchError.Origin.OTHER_SERVER);
    assertThat(error.isFromGateway()).isFalse();
    assertThat(error.message())
        .contains(Integer.toString(status))
        .doesNotContain("Metadata(", "DATA", "body of a proxy's page");
  }

  @ParameterizedTest
  @CsvSource({
    "1, CANCELLED",
    "2, UNKNOWN",
    "3, INVALID_ARGUMENT",
    "4, DEADLINE_EXCEEDED",
    "5, NOT_FOUND",
    "7, PERMISSION_DENIED",
    "8, RESOURCE_EXHAUSTED",
    "9, FAILED_PRECONDITION",
    "11, OUT_OF_RANGE",
    "12, UNIMPLEMENTED",
    "13, INTERNAL",
    "14, UNAVAILABLE",
    "16, UNAUTHENTICATED"
  })
  void aBareGrpcStatus_isResumed(int status, Status.Code code) {
    proxy.answerGrpc(status);
    WatchError error = watchOnce();

    assertThat(error.action()).isEqualTo(ErrorAction.RESUME);
    assertThat(error.code()).isEqualTo(code);
    assertThat(error.origin()).isEqualTo(WatchError.Origin.OTHER_SERVER);
    assertThat(error.message()).isEqualTo("no healthy upstream");
  }

  @Test
  void call_isRepeatedThenNamesTheServer() {
    proxy.answer(404, "text/html");
    ImmediateTimers waits = new ImmediateTimers();
    try (WatchClient calling = WatchClient.to("127.0.0.1", proxy.port()).timers(waits).build()) {
      assertThatThrownBy(() -> calling.listResourceTypes(LIMIT))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageStartingWith("UNIMPLEMENTED: no Watchgate has answered there")
          .hasMessageContaining("404")
          .hasMessageContaining("Check host and port");
    }
    assertThat(waits.delays())
        .hasSize(UnaryCalls.ATTEMPTS - 1)
        .allSatisfy(wait -> assertThat(wait).isLessThanOrEqualTo(Duration.ofSeconds(2)));
  }
}
