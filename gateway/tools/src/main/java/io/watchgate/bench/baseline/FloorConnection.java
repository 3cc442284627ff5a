package io.watchgate.bench.baseline;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.ByteToMessageDecoder;
import io.watchgate.kube.KubeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a {@link FloorServer}: reads the frames that change a stream or a window, and
 * collects the frames of all streams in one buffer. Confined to its event loop.
 */
final class FloorConnection extends ByteToMessageDecoder {
  /** A stream is ready while both windows have room for this. */
  static final int LEAST_WINDOW = 96 << 10;

  private static final int PREFACE = 24;
  private static final int HEADER = 9;
  private static final int PREFIX = 5;
  private static final int MAX_FRAME = 16 << 10;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;
  private static final byte[] CONTENT_TYPE = "application/grpc".getBytes(US_ASCII);

  private final Topics<Topic> topics;
  private final int batch;
  private final Map<Integer, FloorStream> streams = new HashMap<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable ByteBuf frames;
  private boolean prefaceRead;
  private int initialWindow = DEFAULT_WINDOW;
  private long window = DEFAULT_WINDOW;

  FloorConnection(Topics<Topic> topics, int batch) {
    this.topics = topics;
    this.batch = batch;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    var _ = begin(0, SETTINGS, 0, 0);
  }

  @Override
  public void channelInactive(ChannelHandlerContext closed) throws Exception {
    super.channelInactive(closed);
    streams.values().forEach(FloorStream::leave);
    streams.clear();
  }

  // ---- reading

  @Override
  protected void decode(ChannelHandlerContext from, ByteBuf in, List<Object> none) {
    if (!prefaceRead && in.readableBytes() >= PREFACE) {
      in.skipBytes(PREFACE);
      prefaceRead = true;
    }
    while (prefaceRead && in.readableBytes() >= HEADER) {
      int length = in.getUnsignedMedium(in.readerIndex());
      if (in.readableBytes() < HEADER + length) {
        break;
      }
      in.skipBytes(3);
      int type = in.readByte();
      int flags = in.readByte();
      int stream = in.readInt();
      read(type, flags, stream, in.readSlice(length));
    }
  }

  private void read(int type, int flags, int id, ByteBuf payload) {
    switch (type) {
      case HEADERS -> streams.put(id, new FloorStream(id));
      case DATA -> {
        FloorStream stream = streams.get(id);
        if (stream != null) {
          stream.read(payload, (flags & END_STREAM) != 0);
        }
      }
      case RST_STREAM -> {
        FloorStream reset = streams.remove(id);
        if (reset != null) {
          reset.leave();
        }
      }
      case SETTINGS -> {
        if ((flags & ACK) == 0) {
          while (payload.isReadable()) {
            int name = payload.readUnsignedShort();
            int value = payload.readInt();
            if (name == INITIAL_WINDOW_SIZE) {
              widenAll(value - initialWindow);
              initialWindow = value;
            }
          }
          var _ = begin(0, SETTINGS, ACK, 0);
        }
      }
      case PING -> {
        if ((flags & ACK) == 0) {
          begin(payload.readableBytes(), PING, ACK, 0).writeBytes(payload);
        }
      }
      case WINDOW_UPDATE -> widen(id, payload.readInt());
      default -> {}
    }
  }

  private void widenAll(int more) {
    for (FloorStream stream : streams.values()) {
      stream.streamWindow += more;
      stream.wake();
    }
  }

  private void widen(int id, int more) {
    if (id == 0) {
      boolean waited = window < LEAST_WINDOW;
      window += more;
      if (waited) {
        streams.values().forEach(FloorStream::wake);
      }
      return;
    }
    FloorStream stream = streams.get(id);
    if (stream != null) {
      boolean waited = stream.streamWindow < LEAST_WINDOW;
      stream.streamWindow += more;
      if (waited) {
        stream.wake();
      }
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    if (changed.channel().isWritable()) {
      streams.values().forEach(FloorStream::wake);
    }
  }

  // ---- writing

  /** Begins a frame; the caller appends its payload. */
  private ByteBuf begin(int length, int type, int flags, int stream) {
    ByteBuf out = frames;
    if (out == null) {
      out = opened().alloc().directBuffer(1 << 16);
      frames = out;
      opened().executor().execute(this::write); // after the delivery
    }
    return out.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
  }

  private ChannelHandlerContext opened() {
    if (context == null) {
      throw new IllegalStateException("no channel");
    }
    return context;
  }

  /** Writes the collected frames. */
  private void write() {
    ByteBuf content = frames;
    frames = null;
    var _ = opened().writeAndFlush(content);
  }

  private final class FloorStream {
    private final int id;
    private final ByteArrayOutputStream request = new ByteArrayOutputStream();
    private long streamWindow = initialWindow;
    private @Nullable EncodeOnceStream content;
    private @Nullable LoopFanout fanout;

    FloorStream(int id) {
      this.id = id;
    }

    void read(ByteBuf data, boolean last) {
      byte[] bytes = new byte[data.readableBytes()];
      data.readBytes(bytes);
      request.writeBytes(bytes);
      if (!last) {
        return;
      }
      try {
        byte[] all = request.toByteArray();
        ListAndWatchRequest asked =
            ListAndWatchRequest.parser().parseFrom(all, PREFIX, all.length - PREFIX);
        EncodeOnceStream opened = new Frames(this, Topics.node(asked));
        content = opened;
        fanout = topics.of(asked).join(opened);
      } catch (KubeException | InvalidProtocolBufferException e) {
        reset();
      }
    }

    void wake() {
      if (content != null) {
        content.send();
      }
    }

    void leave() {
      if (content != null && fanout != null) {
        content.cancel();
        fanout.remove(content);
      }
    }

    private void reset() {
      begin(4, RST_STREAM, 0, id).writeInt(CANCEL);
    }
  }

  /** Stream whose responses are frames of this connection. */
  private final class Frames extends EncodeOnceStream {
    private final FloorStream stream;

    Frames(FloorStream stream, String node) {
      super(node, batch);
      this.stream = stream;
    }

    @Override
    boolean isReady() {
      return window >= LEAST_WINDOW
          && stream.streamWindow >= LEAST_WINDOW
          && opened().channel().isWritable();
    }

    /** Sends status 200 and the content type, in HPACK without a table. */
    @Override
    void sendHeaders() {
      begin(4 + CONTENT_TYPE.length, HEADERS, END_HEADERS, stream.id)
          .writeByte(0x88)
          .writeByte(0x0f)
          .writeByte(0x10)
          .writeByte(CONTENT_TYPE.length)
          .writeBytes(CONTENT_TYPE);
    }

    @Override
    void send(SharedResponse response) {
      byte[] bytes = response.bytes();
      int payload = PREFIX + bytes.length;
      int first = Math.min(payload, MAX_FRAME);
      begin(first, DATA, 0, stream.id)
          .writeByte(0)
          .writeInt(bytes.length)
          .writeBytes(bytes, 0, first - PREFIX);
      for (int from = first - PREFIX; from < bytes.length; from += MAX_FRAME) {
        int length = Math.min(MAX_FRAME, bytes.length - from);
        begin(length, DATA, 0, stream.id).writeBytes(bytes, from, length);
      }
      stream.streamWindow -= payload;
      window -= payload;
    }

    @Override
    void close(Status status) {
      stream.reset();
    }
  }
}
