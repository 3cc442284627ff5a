package io.watchgate.bench.baseline;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * A response, encoded once, in one array. A {@code ByteString} of protobuf would be copied for each
 * stream that it is written to. Immutable.
 */
final class SharedResponse {
  private final byte[] bytes;

  private SharedResponse(ByteString bytes) {
    this.bytes = bytes.toByteArray();
  }

  static SharedResponse of(MessageLite message) {
    return new SharedResponse(message.toByteString());
  }

  /** Returns a response with events but without a position. */
  static SharedResponse withoutPosition(List<SharedEvent> events) {
    return new SharedResponse(bytes(events));
  }

  /** Returns a response with events and the position of the last event. */
  static SharedResponse of(List<SharedEvent> events) {
    return new SharedResponse(bytes(events).concat(events.getLast().position()));
  }

  private static ByteString bytes(List<SharedEvent> events) {
    return ByteString.copyFrom(events.stream().map(SharedEvent::event).toList());
  }

  /** Returns the encoded message, which the caller must not change. */
  byte[] bytes() {
    return bytes;
  }

  /** Marshaller for the method's descriptor. */
  static final class Marshaller implements MethodDescriptor.Marshaller<SharedResponse> {
    @Override
    public InputStream stream(SharedResponse response) {
      return new Bytes(response);
    }

    @Override
    public SharedResponse parse(InputStream response) {
      throw new UnsupportedOperationException("responses are only sent here");
    }
  }

  /** Stream that writes the response into the transport's buffer, which is the only copy. */
  private static final class Bytes extends InputStream implements KnownLength, Drainable {
    private final SharedResponse response;
    private int remaining;

    Bytes(SharedResponse response) {
      this.response = response;
      this.remaining = response.bytes.length;
    }

    @Override
    public int available() {
      return remaining;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      target.write(response.bytes);
      remaining = 0;
      return response.bytes.length;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException("gRPC drains what can be drained");
    }

    @Override
    public int read(byte[] target, int from, int length) {
      throw new UnsupportedOperationException("gRPC drains what can be drained");
    }
  }
}
