package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Flags;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameTypes;
import io.watchgate.error.ApiError;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Counter of the headers that have begun on a connection and are not complete. Netty keeps them
 * until then, up to {@link TransportSettings#MAX_INBOUND_METADATA_BYTES} and a quarter. They count
 * as an incomplete request. If that memory is needed, the connection ends, since HTTP/2 allows no
 * other frame within headers. Headers that arrive in one read, as usual, are not counted. The
 * counter parses only the frame headers. Used on the connection's event loop.
 */
final class IncompleteHeaders extends ChannelInboundHandlerAdapter {
  private static final int PREFACE_BYTES = 24;
  private static final int FRAME_HEADER_BYTES = 9;

  private final InboundBytesLimit limit;
  private @Nullable RapidResetLimit resets;

  /** Bytes until the next frame begins. */
  private int skip = PREFACE_BYTES;

  /** Header of the next frame, filled up to {@link #headerBytes}. */
  private final byte[] header = new byte[FRAME_HEADER_BYTES];

  private int headerBytes;

  private boolean inBlock;

  /** The frame is the last one of its header block. */
  private boolean last;

  private int blockBytes;

  /** Null: everything that has begun is complete. */
  private InboundBytesLimit.@Nullable Request request;

  private int countedBytes;

  /** Highest stream identifier so far. */
  private int highestStream;

  /** Streams whose headers are complete. */
  private long completeStreams;

  private boolean beginsStream;

  IncompleteHeaders(InboundBytesLimit others) {
    this.limit = others;
  }

  /**
   * Sets the listener for the number of streams whose headers are complete, from the first stream
   * on.
   */
  void setListener(RapidResetLimit listener) {
    resets = listener;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes) {
      scan(bytes);
    }
    context.fireChannelRead(message);
    if (resets != null) {
      resets.recordRequested(completeStreams);
    }
    if (inBlock && blockBytes > 0 && context.channel().isActive()) {
      count(context);
    } else {
      stopCounting();
    }
  }

  private void scan(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end) {
      if (skip > 0) {
        int step = Math.min(skip, end - at);
        at += step;
        skip -= step;
        blockBytes += inBlock ? step : 0;
      } else {
        header[headerBytes] = bytes.getByte(at);
        headerBytes++;
        at++;
        if (headerBytes == FRAME_HEADER_BYTES) {
          headerBytes = 0;
          begin();
        }
      }
      if (skip == 0 && headerBytes == 0 && inBlock && last) {
        inBlock = false;
        blockBytes = 0;
        completeStreams += beginsStream ? 1 : 0;
        beginsStream = false;
      }
    }
  }

  private void begin() {
    skip = (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | (header[2] & 0xff);
    byte type = header[3];
    if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
      int stream = ByteBuffer.wrap(header).getInt(FRAME_HEADER_BYTES - Integer.BYTES);
      if (type == Http2FrameTypes.HEADERS && stream > highestStream) {
        highestStream = stream;
        beginsStream = true;
      }
      inBlock = true;
      last = (header[4] & Http2Flags.END_HEADERS) != 0;
    }
  }

  private void count(ChannelHandlerContext context) {
    InboundBytesLimit.Request block = request;
    if (block == null) {
      block = limit.beginCounting();
      request = block;
      countedBytes = 0;
      block.onRefused(refusal -> end(context, refusal));
    }
    int more = blockBytes - countedBytes;
    countedBytes = blockBytes;
    block.grow(more);
  }

  private void stopCounting() {
    InboundBytesLimit.Request block = request;
    if (block != null) {
      request = null;
      block.complete();
    }
  }

  private static void end(ChannelHandlerContext context, ApiError refusal) {
    context
        .executor()
        .execute(
            () ->
                context.fireExceptionCaught(
                    Http2Exception.connectionError(
                        Http2Error.ENHANCE_YOUR_CALM, refusal.message())));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stopCounting();
    context.fireChannelInactive();
  }
}
