package io.watchgate.bench;

import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Marshaller that reads each response of one connection into the same buffer, instead of a message.
 * The buffer can be reused because a response is processed before the next one is parsed. Confined
 * to the connection's event loop.
 */
final class RawResponseMarshaller implements MethodDescriptor.Marshaller<RawResponseMarshaller> {
  private static final int FIRST_CAPACITY = 64 << 10;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;

  @Override
  public RawResponseMarshaller parse(InputStream response) {
    length = 0;
    try {
      int read = response.read(bytes, 0, bytes.length);
      while (read >= 0) {
        length += read;
        if (length == bytes.length) {
          bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        read = response.read(bytes, length, bytes.length - length);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  @Override
  public InputStream stream(RawResponseMarshaller response) {
    throw new UnsupportedOperationException("responses are only read here");
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }
}
