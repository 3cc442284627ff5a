package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.watchgate.encode.ByteSlices;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SlicesMarshallerTest {
  private static final byte[] MESSAGE =
      ListAndWatchResponse.newBuilder()
          .addEvents(WatchEvent.newBuilder().setObject(ByteString.copyFromUtf8("x".repeat(5_000))))
          .setResourceVersion("7")
          .build()
          .toByteArray();

  /** Returns slices that are in the middle of larger arrays. */
  private static ByteSlices pieces(byte[] bytes, Random random) {
    ByteSlices.Builder pieces = new ByteSlices.Builder();
    for (int from = 0; from < bytes.length; ) {
      int length = Math.min(bytes.length - from, 1 + random.nextInt(900));
      byte[] array = new byte[length + 20];
      System.arraycopy(bytes, from, array, 7, length);
      pieces.add(array, 7, 7 + length);
      from += length;
    }
    return pieces.build();
  }

  private static InputStream stream(ByteSlices slices) {
    return new SlicesMarshaller().stream(slices);
  }

  @Test
  void drain_writesPieceByPiece() throws IOException {
    InputStream stream = stream(pieces(MESSAGE, new Random(1)));
    assertThat(stream).isInstanceOf(KnownLength.class);
    assertThat(stream.available()).isEqualTo(MESSAGE.length);
    assertThat(stream.available()).isEqualTo(MESSAGE.length);

    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThat(((Drainable) stream).drainTo(out)).isEqualTo(MESSAGE.length);

    assertThat(out.toByteArray()).isEqualTo(MESSAGE);
    assertThat(stream.available()).isZero();
    assertThat(stream.read()).isEqualTo(-1);
    assertThat(((Drainable) stream).drainTo(out)).isZero();
  }

  @Test
  void read_withAnyLengths_returnsAllBytes() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      InputStream stream = stream(pieces(MESSAGE, random));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      while (stream.available() > 0) {
        assertThat(out.size() + stream.available()).as("seed %d", seed).isEqualTo(MESSAGE.length);
        switch (random.nextInt(6)) {
          case 0 -> out.write(stream.read());
          case 1 -> {
            byte[] into = new byte[1 + random.nextInt(2_000)];
            int offset = random.nextInt(into.length);
            int read = stream.read(into, offset, into.length - offset);
            out.write(into, offset, read);
          }
          case 2 -> assertThat(stream.read(new byte[0])).isZero();
          case 3 -> {
            byte[] before = out.toByteArray();
            long skipped = stream.skip(random.nextInt(50));
            out.reset();
            out.write(before);
            out.write(MESSAGE, before.length, (int) skipped);
          }
          case 4 -> out.write(stream.readNBytes(random.nextInt(100)));
          default -> {
            if (random.nextInt(10) == 0) {
              ((Drainable) stream).drainTo(out);
            }
          }
        }
      }
      assertThat(out.toByteArray()).as("seed %d", seed).isEqualTo(MESSAGE);
      assertThat(stream.read(new byte[1])).isEqualTo(-1);
    }
  }

  @Test
  void emptySlices_haveNoBytes() throws IOException {
    InputStream stream = stream(ByteSlices.EMPTY);
    assertThat(stream.available()).isZero();
    assertThat(stream.read()).isEqualTo(-1);
    assertThat(((Drainable) stream(ByteSlices.EMPTY)).drainTo(new ByteArrayOutputStream()))
        .isZero();
  }

  @Test
  void marshaller_roundTrip() {
    ByteSlices read = new SlicesMarshaller().parse(stream(pieces(MESSAGE, new Random(2))));
    assertThat(Arrays.equals(read.toByteArray(), MESSAGE)).isTrue();
  }
}
