package io.watchgate.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.watchgate.fanout.ByteSlices;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/**
 * One response on its way out. gRPC asks for its length, takes a buffer of that size from the
 * transport, and has the pieces written into it: one copy, which is the least there is, and neither
 * a growing buffer nor one of its own between. Without {@link KnownLength} it would collect the
 * response in a chain of buffers first, and without {@link Drainable} copy through an array of 8
 * KiB that it allocates for each.
 */
final class SlicesStream extends InputStream implements KnownLength, Drainable {
  private final ByteSlices slices;
  private int piece;

  /** Within the piece. */
  private int at;

  private int left;

  SlicesStream(ByteSlices slices) {
    this.slices = slices;
    this.left = slices.size();
  }

  @Override
  public int available() {
    return left;
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    int drained = left;
    while (left > 0) {
      int length = slices.length(piece) - at;
      target.write(slices.array(piece), slices.from(piece) + at, length);
      advance(length);
    }
    return drained;
  }

  @Override
  public int read() {
    if (left == 0) {
      return -1;
    }
    int value = slices.array(piece)[slices.from(piece) + at] & 0xFF;
    advance(1);
    return value;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (left == 0 && length > 0) {
      return -1;
    }
    int done = 0;
    while (done < length && left > 0) {
      int part = Math.min(length - done, slices.length(piece) - at);
      System.arraycopy(slices.array(piece), slices.from(piece) + at, into, offset + done, part);
      advance(part);
      done += part;
    }
    return done;
  }

  /** Pieces are never empty, so that what follows a finished one has bytes. */
  private void advance(int by) {
    at += by;
    left -= by;
    if (at == slices.length(piece)) {
      piece++;
      at = 0;
    }
  }
}
