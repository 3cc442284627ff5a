package io.watchgate.bench.yardstick;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** A response made of shared bytes. Immutable. */
final class SharedResponse {
  private final List<ByteString> slices;
  private final int length;

  private SharedResponse(List<ByteString> slices) {
    this.slices = slices;
    this.length = slices.stream().mapToInt(ByteString::size).sum();
  }

  static SharedResponse of(MessageLite message) {
    return new SharedResponse(List.of(message.toByteString()));
  }

  /** Events without a position, as one piece of memory. */
  static SharedResponse joined(List<SharedEvent> events) {
    ByteString pieces = ByteString.copyFrom(events.stream().map(SharedEvent::event).toList());
    return new SharedResponse(List.of(ByteString.copyFrom(pieces.toByteArray())));
  }

  /** Several events, and the position of the last. */
  static SharedResponse of(List<SharedEvent> events) {
    ByteString[] slices = new ByteString[events.size() + 1];
    for (int i = 0; i < events.size(); i++) {
      slices[i] = events.get(i).event();
    }
    slices[events.size()] = events.getLast().position();
    return new SharedResponse(List.of(slices));
  }

  /** For the method's descriptor. */
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

  /** Writes itself into the transport's buffer, the only copy. */
  private static final class Bytes extends InputStream implements KnownLength, Drainable {
    private final SharedResponse response;
    private int left;

    Bytes(SharedResponse response) {
      this.response = response;
      this.left = response.length;
    }

    @Override
    public int available() {
      return left;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      for (ByteString slice : response.slices) {
        slice.writeTo(target);
      }
      left = 0;
      return response.length;
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
