package io.watchgate.grpc;

import io.grpc.MethodDescriptor;
import io.watchgate.feed.Slices;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Responses are encoded already, so that this only hands their pieces to the transport. */
final class SlicesMarshaller implements MethodDescriptor.Marshaller<Slices> {

  @Override
  public InputStream stream(Slices response) {
    return new SlicesStream(response);
  }

  @Override
  public Slices parse(InputStream stream) {
    try {
      return Slices.of(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
