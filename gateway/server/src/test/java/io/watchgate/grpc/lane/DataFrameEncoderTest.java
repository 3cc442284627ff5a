package io.watchgate.grpc.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufUtil;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.watchgate.encode.ByteSlices;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of DATA frames at the largest size that every client accepts. */
final class DataFrameEncoderTest {
  private static final int MAX_FRAME = 16_384;
  private static final int PREFIX = 5;

  /** Each byte of the two ids differs, and the highest bit of an id is reserved. */
  private static final int ID = 0x01020304;

  private static final int ANOTHER_ID = 0x7f6e5d4c;

  private final ByteBuf out = Unpooled.buffer();

  /** One frame that was encoded. */
  private record Frame(int streamId, ByteBuf payload) {}

  /** Decodes all frames from {@code from} on, and checks what is equal in each header. */
  private List<Frame> decode(int from) {
    ByteBuf in = out.slice(from, out.writerIndex() - from);
    List<Frame> frames = new ArrayList<>();
    while (in.isReadable()) {
      int length = in.readUnsignedMedium();
      assertThat(in.readByte()).as("type").isZero();
      assertThat(in.readByte()).as("flags").isZero();
      int streamId = in.readInt();
      frames.add(new Frame(streamId, in.readSlice(length)));
    }
    return frames;
  }

  private static void assertFrames(List<Frame> frames, int streamId, byte[] message) {
    ByteBuf all = Unpooled.buffer(message.length);
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      assertThat(frame.streamId()).isEqualTo(streamId);
      assertThat(frame.payload().readableBytes())
          .as("bytes of frame %d of %d", i, frames.size())
          .isEqualTo(Math.min(MAX_FRAME, message.length - i * MAX_FRAME));
      all.writeBytes(frame.payload());
    }
    assertThat(ByteBufUtil.getBytes(all)).isEqualTo(message);
  }

  private static byte[] message(byte[] response) {
    return ByteBuffer.allocate(PREFIX + response.length)
        .put((byte) 0)
        .putInt(response.length)
        .put(response)
        .array();
  }

  /**
   * Returns a response of slices that end at the border of each frame, and {@code shift} bytes
   * beside it.
   */
  private static ByteSlices cut(byte[] response, int shift) {
    TreeSet<Integer> cuts = new TreeSet<>();
    for (int border = MAX_FRAME - PREFIX; border <= response.length; border += MAX_FRAME) {
      cuts.add(border);
      cuts.add(border + shift);
    }
    cuts.add(response.length);
    ByteSlices.Builder slices = new ByteSlices.Builder();
    int from = 0;
    for (int to : cuts.headSet(response.length, /* inclusive= */ true)) {
      slices.add(response, from, to);
      from = to;
    }
    return slices.build();
  }

  @ParameterizedTest
  @ValueSource(ints = {PREFIX, 1_000, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 100_000})
  void payloadsAtBordersOfFrames_areWrittenAndRepeated(int payload) {
    byte[] response = new byte[payload - PREFIX];
    new Random(payload).nextBytes(response);
    byte[] message = message(response);
    for (int shift : new int[] {-2, -1, 0, 1, 2}) {
      ByteSlices slices = cut(response, shift);
      int first = out.writerIndex();

      DataFrameEncoder.write(out, ID, slices);

      assertThat(DataFrameEncoder.payload(slices)).isEqualTo(payload);
      int size = DataFrameEncoder.size(payload);
      assertThat(out.writerIndex() - first).as("size").isEqualTo(size);
      assertFrames(decode(first), ID, message);

      DataFrameEncoder.repeat(out, first, size, ANOTHER_ID);

      assertThat(out.writerIndex() - first).as("size of both").isEqualTo(2 * size);
      assertFrames(decode(first + size), ANOTHER_ID, message);
      assertFrames(decode(first).subList(0, decode(first + size).size()), ID, message);
    }
  }
}
