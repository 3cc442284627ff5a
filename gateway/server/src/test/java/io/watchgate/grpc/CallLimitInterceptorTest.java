package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.error.ApiError;
import io.watchgate.error.LimitErrors;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that a call is counted from its beginning to its end, however it ends, and is ended once.
 */
final class CallLimitInterceptorTest {
  private static final ApiError REFUSAL = LimitErrors.incompleteRequests(1, 2);

  private final InboundBytesLimit requests = new InboundBytesLimit();
  private final List<InboundBytesLimit.Request> begun = new ArrayList<>();
  private final List<Status.Code> closed = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final GatewayStreamLimiter slots = new GatewayStreamLimiter(GatewayStreamLimits.DEFAULTS);
  private final CallLimitInterceptor calls =
      new CallLimitInterceptor(
          slots,
          () -> {
            begun.add(requests.beginRequest());
            return begun.getLast();
          },
          reason -> heard.add("refused"));

  private ServerCall.Listener<HealthCheckRequest> start(
      ServerCallHandler<HealthCheckRequest, HealthCheckResponse> handler) {
    return calls.wrap(handler).startCall(new Call(closed), new Metadata());
  }

  @Test
  void throwingHandler_leavesNothingCounted() {
    IllegalStateException thrown = new IllegalStateException("broken");
    assertThatThrownBy(
            () ->
                start(
                    (call, headers) -> {
                      assertThat(requests.bytes()).isPositive();
                      assertThat(slots.usedSlots()).isEqualTo(1);
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(begun).hasSize(1);
    assertThat(requests.bytes()).isZero();
    assertThat(slots.usedSlots()).isZero();
  }

  @Test
  void refusedCall_closesOnceWithoutCallingTheHandler() {
    ServerCall.Listener<HealthCheckRequest> listener =
        start(
            (call, headers) ->
                new ServerCall.Listener<>() {
                  @Override
                  public void onMessage(HealthCheckRequest message) {
                    heard.add("message");
                  }

                  @Override
                  public void onHalfClose() {
                    heard.add("all of it");
                  }

                  @Override
                  public void onComplete() {
                    call.close(Status.OK, new Metadata());
                  }
                });
    begun.getFirst().refuse(REFUSAL);
    listener.onMessage(HealthCheckRequest.getDefaultInstance());
    listener.onHalfClose();
    listener.onComplete();
    assertThat(closed).containsExactly(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(heard).containsExactly("refused");
    assertThat(requests.bytes()).isZero();
    assertThat(slots.usedSlots()).isZero();
  }

  @Test
  void answeredCall_isNotRefused() {
    List<ServerCall<?, ?>> given = new ArrayList<>();
    ServerCall.Listener<HealthCheckRequest> listener =
        start(
            (call, headers) -> {
              given.add(call);
              return new ServerCall.Listener<>() {};
            });
    given.getFirst().close(Status.UNAUTHENTICATED, new Metadata());
    begun.getFirst().refuse(REFUSAL);
    listener.onComplete();
    assertThat(closed).containsExactly(Status.Code.UNAUTHENTICATED);
    assertThat(requests.bytes()).isZero();
    assertThat(slots.usedSlots()).isZero();
  }

  /** Fake of gRPC's call, with the methods that these calls use. */
  private static final class Call extends ServerCall<HealthCheckRequest, HealthCheckResponse> {
    private final List<Status.Code> closed;

    Call(List<Status.Code> closed) {
      this.closed = closed;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      closed.add(status.getCode());
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(HealthCheckResponse message) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<HealthCheckRequest, HealthCheckResponse> getMethodDescriptor() {
      return HealthGrpc.getCheckMethod();
    }
  }
}
