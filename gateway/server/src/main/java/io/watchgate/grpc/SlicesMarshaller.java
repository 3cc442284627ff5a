package io.watchgate.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.watchgate.encode.ByteSlices;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

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

  /**
   * Input stream over one encoded response. gRPC asks for its length, takes a buffer of that size
   * from the transport, and lets the slices be written into it. That is one copy, the minimum,
   * without a growing or temporary buffer. Without {@link KnownLength} gRPC would first collect the
   * response in a chain of buffers. Without {@link Drainable} it would copy through an array of 8
   * KiB that it allocates for each response.
   */
  private static final class SlicesStream extends InputStream implements KnownLength, Drainable {
    private final ByteSlices slices;
    private int piece;

    /** Offset within the piece. */
    private int offsetInPiece;

    private int remaining;

    SlicesStream(ByteSlices slices) {
      this.slices = slices;
      this.remaining = slices.size();
    }

    @Override
    public int available() {
      return remaining;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int drained = remaining;
      while (remaining > 0) {
        int length = slices.length(piece) - offsetInPiece;
        target.write(slices.array(piece), slices.from(piece) + offsetInPiece, length);
        advance(length);
      }
      return drained;
    }

    @Override
    public int read() {
      if (remaining == 0) {
        return -1;
      }
      int value = slices.array(piece)[slices.from(piece) + offsetInPiece] & 0xFF;
      advance(1);
      return value;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, into.length);
      if (remaining == 0 && length > 0) {
        return -1;
      }
      int done = 0;
      while (done < length && remaining > 0) {
        int part = Math.min(length - done, slices.length(piece) - offsetInPiece);
        System.arraycopy(
            slices.array(piece), slices.from(piece) + offsetInPiece, into, offset + done, part);
        advance(part);
        done += part;
      }
      return done;
    }

    /** Pieces are never empty, so the piece after a finished one has bytes. */
    private void advance(int by) {
      offsetInPiece += by;
      remaining -= by;
      if (offsetInPiece == slices.length(piece)) {
        piece++;
        offsetInPiece = 0;
      }
    }
  }
}
