package io.watchgate.browser;

import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.grpc.CallStatus;
import io.watchgate.http.StreamedResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Output of a call by gRPC-Web: each message is a frame of the body, and the trailers are the last
 * frame. Confined to the event loop of its call.
 */
final class GrpcWebOutput extends HttpCallOutput {
  static final String CONTENT_TYPE = "application/grpc-web+proto";

  /** Bytes before a message: flags and length. */
  static final int FRAME_HEAD = 5;

  private static final byte MESSAGE = 0;
  private static final byte TRAILERS = (byte) 0x80;

  private boolean begun;

  GrpcWebOutput(
      BiFunction<Executor, StreamedResponse.Listener, StreamedResponse> responses,
      Duration interval) {
    super(responses, interval);
  }

  @Override
  public void send(byte[] message) {
    beginResponse();
    response().write(frame(MESSAGE, message));
  }

  @Override
  public void end(CallStatus ending) {
    beginResponse();
    response().write(trailers(ending.status(), ending.trailers()));
    response().end();
  }

  private void beginResponse() {
    if (!begun) {
      begun = true;
      response().setStatus(HttpStatus.OK_200);
      response().headers().put(HttpHeader.CONTENT_TYPE, CONTENT_TYPE);
    }
  }

  private static ByteBuffer frame(byte flags, byte[] bytes) {
    return ByteBuffer.allocate(FRAME_HEAD + bytes.length)
        .put(flags)
        .putInt(bytes.length)
        .put(bytes)
        .flip();
  }

  /** Returns the last frame of a response. */
  static ByteBuffer trailers(Status status, Metadata trailers) {
    StringBuilder text = new StringBuilder();
    text.append("grpc-status:").append(status.getCode().value()).append("\r\n");
    String message = status.getDescription();
    if (message != null) {
      text.append("grpc-message:").append(percentEncoded(message)).append("\r\n");
    }
    byte[][] serialized = InternalMetadata.serialize(trailers);
    for (int i = 0; i < serialized.length; i += 2) {
      String name = new String(serialized[i], StandardCharsets.US_ASCII);
      byte[] value = serialized[i + 1];
      text.append(name)
          .append(':')
          .append(
              name.endsWith(Metadata.BINARY_HEADER_SUFFIX)
                  ? Base64.getEncoder().encodeToString(value)
                  : new String(value, StandardCharsets.US_ASCII))
          .append("\r\n");
    }
    return frame(TRAILERS, text.toString().getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the text as gRPC encodes it: printable ASCII, without the percent sign. */
  private static String percentEncoded(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      if (each >= ' ' && each < 0x7f && each != '%') {
        encoded.append((char) each);
      } else {
        encoded.append(String.format("%%%02X", each & 0xff));
      }
    }
    return encoded.toString();
  }
}
