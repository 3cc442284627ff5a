package io.watchgate.grpc;

import io.grpc.MethodDescriptor;
import io.watchgate.fanout.ByteSlices;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Marshaller of responses that are already encoded; it passes their slices to the transport. */
final class SlicesMarshaller implements MethodDescriptor.Marshaller<ByteSlices> {

  @Override
  public InputStream stream(ByteSlices response) {
    return new SlicesStream(response);
  }

  @Override
  public ByteSlices parse(InputStream stream) {
    try {
      return ByteSlices.of(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
