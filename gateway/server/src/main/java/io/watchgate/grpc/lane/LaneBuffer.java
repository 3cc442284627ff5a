package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.watchgate.fanout.ByteSlices;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Buffer of one event loop for the DATA frames of one connection at a time. It is written when the
 * next response belongs to another connection or does not fit, and at the end of each task. Used on
 * its event loop, except for the counters.
 */
public final class LaneBuffer {
  /**
   * Largest response that takes the lane, in bytes. Copying a larger one is no longer cheaper than
   * gRPC's way by much, and it would take most of a buffer.
   */
  static final int MAX_RESPONSE = 128 << 10;

  /** Payload of a frame; every client accepts it (RFC 9113, section 4.2). */
  static final int MAX_FRAME_PAYLOAD = 16 << 10;

  /** Prefix of a gRPC message: compression flag and length. */
  static final int MESSAGE_PREFIX = 5;

  private static final int FRAME_HEADER = 9;
  static final int CAPACITY = 256 << 10;

  /** Content below which the buffer is not handed to the socket, but copied. */
  private static final int COPY_BELOW = CAPACITY / 4;

  private @Nullable ByteBuf buffer;
  private @Nullable ConnectionLane current;
  private boolean inTask;

  private long responses;
  private long grpcResponses;
  private volatile long publishedResponses;
  private volatile long publishedGrpcResponses;

  /**
   * Returns an executor that writes the buffer at the end of each task. Streams send only in tasks
   * of this executor; in others, they use gRPC.
   *
   * @param loop runs tasks on the event loop
   */
  public Executor executor(Executor loop) {
    return task -> loop.execute(() -> run(task));
  }

  private void run(Runnable task) {
    inTask = true;
    try {
      task.run();
    } finally {
      inTask = false;
      flush();
      publishedResponses = responses;
      publishedGrpcResponses = grpcResponses;
    }
  }

  /** Returns the number of responses that took the lane. From any thread. */
  public long responses() {
    return publishedResponses;
  }

  /** Returns the number of responses of streams with a lane that took gRPC's way. Any thread. */
  public long grpcResponses() {
    return publishedGrpcResponses;
  }

  boolean isInTask() {
    return inTask;
  }

  void countGrpcResponse() {
    grpcResponses++;
  }

  /** Returns whether bytes of this connection are in the buffer. */
  boolean isCurrent(ConnectionLane lane) {
    return lane == current;
  }

  /** Adds a response as DATA frames of a stream; the caller has checked windows and size. */
  void append(ConnectionLane lane, int streamId, ByteSlices response) {
    int payload = MESSAGE_PREFIX + response.size();
    int frames = (payload + MAX_FRAME_PAYLOAD - 1) / MAX_FRAME_PAYLOAD;
    ByteBuf out = prepare(lane, payload + frames * FRAME_HEADER);
    int first = Math.min(payload, MAX_FRAME_PAYLOAD);
    putFrameHeader(out, first, streamId);
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
        putFrameHeader(out, left, streamId);
      }
      out.writeBytes(array, from, length);
      left -= length;
    }
    responses++;
  }

  /** Frame header of a DATA frame without flags: type and flags are 0. */
  private static void putFrameHeader(ByteBuf out, int payload, int streamId) {
    out.writeLong((long) payload << 40 | streamId >>> 8);
    out.writeByte(streamId);
  }

  private ByteBuf prepare(ConnectionLane lane, int bytes) {
    ByteBuf out = buffer;
    if (lane != current || out == null || out.writableBytes() < bytes) {
      flush();
      out = buffer;
      if (out == null) {
        out = lane.allocate(CAPACITY);
        buffer = out;
      }
      current = lane;
    }
    return out;
  }

  /** Writes the content of the buffer to its connection. */
  void flush() {
    ConnectionLane lane = current;
    ByteBuf content = buffer;
    if (lane == null || content == null) {
      return;
    }
    current = null;
    try {
      int bytes = content.readableBytes();
      if (bytes < COPY_BELOW) {
        lane.write(lane.allocate(bytes).writeBytes(content));
        content.clear();
      } else {
        buffer = null;
        lane.write(content);
      }
    } catch (RuntimeException | Error e) {
      content.clear();
      lane.fail(e);
    }
  }
}
