package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.watchgate.encode.ByteSlices;

/** Encoder of responses as DATA frames of HTTP/2, each a message of gRPC. */
final class DataFrameEncoder {
  /** Payload of a frame; every client accepts it (RFC 9113, section 4.2). */
  private static final int MAX_FRAME_PAYLOAD = 16 << 10;

  /** Compression flag and length. */
  private static final int MESSAGE_PREFIX = 5;

  private static final int FRAME_HEADER = 9;

  /** Offset of the stream's id in the header of a frame. */
  private static final int STREAM_ID = 5;

  private DataFrameEncoder() {}

  /** Returns the bytes of a response that count for windows. */
  static int payload(ByteSlices response) {
    return MESSAGE_PREFIX + response.size();
  }

  /** Returns the bytes of the frames of a payload. */
  static int size(int payload) {
    return payload + (payload + MAX_FRAME_PAYLOAD - 1) / MAX_FRAME_PAYLOAD * FRAME_HEADER;
  }

  /** Appends the frames of a response, for which {@code out} has room. */
  static void write(ByteBuf out, int streamId, ByteSlices response) {
    int payload = payload(response);
    int first = Math.min(payload, MAX_FRAME_PAYLOAD);
    writeHeader(out, first, streamId);
    out.writeByte(0); // not compressed
    out.writeInt(response.size());
    int left = first - MESSAGE_PREFIX; // in this frame
    int rest = payload - first; // in the frames after it
    for (int piece = 0; piece < response.count(); piece++) {
      byte[] array = response.array(piece);
      int from = response.from(piece);
      int length = response.length(piece);
      while (length > left) {
        out.writeBytes(array, from, left);
        from += left;
        length -= left;
        left = Math.min(rest, MAX_FRAME_PAYLOAD);
        rest -= left;
        writeHeader(out, left, streamId);
      }
      out.writeBytes(array, from, length);
      left -= length;
    }
  }

  /**
   * Appends frames that were written before, for another stream.
   *
   * @param from index of the frames in {@code out}
   * @param size bytes of the frames
   */
  static void repeat(ByteBuf out, int from, int size, int streamId) {
    int at = out.writerIndex();
    out.writeBytes(out, from, size);
    for (int frame = at; frame < at + size; frame += FRAME_HEADER + MAX_FRAME_PAYLOAD) {
      out.setInt(frame + STREAM_ID, streamId);
    }
  }

  /** Writes length, type DATA (0), no flags, and the stream. */
  private static void writeHeader(ByteBuf out, int payload, int streamId) {
    out.writeLong((long) payload << 40 | streamId >>> 8);
    out.writeByte(streamId);
  }
}
