package io.watchgate.browser;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.watchgate.grpc.CallStatus;
import io.watchgate.http.StreamedResponse;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Output of a watch as server-sent events. Confined to the event loop of its call.
 *
 * <p>An {@code EventSource} connects again after an answer with status 200, and stops after any
 * other. So a watch that is refused with STOP gets another status. Any other refusal gets status
 * 200 and an event {@code problem}.
 */
final class EventStreamOutput extends HttpCallOutput {
  /** Headers of an answer without events, with the names of the trailers of gRPC. */
  static final String REASON = "Watchgate-Reason";

  static final String ACTION = "Watchgate-Action";

  private final Attempt attempt;
  private boolean begun;

  /** Attempt of a client, by whether it sent the id of an event. */
  enum Attempt {
    FIRST,
    RESUMED
  }

  /**
   * @param responses creates the response, whose tasks run on the given executor
   */
  EventStreamOutput(
      BiFunction<Executor, StreamedResponse.Listener, StreamedResponse> responses,
      Duration commentInterval,
      Attempt attempt) {
    super(responses, commentInterval);
    this.attempt = attempt;
  }

  @Override
  void onInterval() {
    super.onInterval();
    if (begun && isReady()) {
      response().write(EventStreamFormat.COMMENT.duplicate());
    }
  }

  @Override
  public void send(byte[] message) {
    ListAndWatchResponse events;
    try {
      events = ListAndWatchResponse.parseFrom(message);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a response of this gateway cannot be read", e);
    }
    beginEvents();
    response().write(EventStreamFormat.response(events));
  }

  private void beginEvents() {
    if (!begun) {
      begun = true;
      response().setStatus(HttpStatus.OK_200);
      response().headers().put(HttpHeader.CONTENT_TYPE, "text/event-stream; charset=utf-8");
    }
  }

  @Override
  public void end(CallStatus ending) {
    if (begun || ending.action() != CallStatus.Action.STOP) {
      beginEvents();
      response().write(EventStreamFormat.problem(ending));
    } else {
      refuse(ending);
    }
    response().end();
  }

  private void refuse(CallStatus ending) {
    Status.Code code = ending.status().getCode();
    // A stream that was open has ended for good, so there is no content any more. Its client gets
    // the reason, but a wrong request is reported in full.
    boolean wasOpen = attempt == Attempt.RESUMED && code != Status.Code.INVALID_ARGUMENT;
    response().setStatus(wasOpen ? HttpStatus.NO_CONTENT_204 : httpStatus(code));
    response().headers().put(REASON, ending.reason());
    response().headers().put(ACTION, ending.action().name());
    if (code == Status.Code.UNAUTHENTICATED) {
      response().headers().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
    }
    if (!wasOpen) {
      response().headers().put(HttpHeader.CONTENT_TYPE, "application/json");
      String json = EventStreamFormat.problemJson(ending) + "\n";
      response().write(ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static int httpStatus(Status.Code code) {
    return switch (code) {
      case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED_401;
      case PERMISSION_DENIED -> HttpStatus.FORBIDDEN_403;
      case NOT_FOUND -> HttpStatus.NOT_FOUND_404;
      case FAILED_PRECONDITION -> HttpStatus.CONFLICT_409;
      default -> HttpStatus.BAD_REQUEST_400;
    };
  }
}
