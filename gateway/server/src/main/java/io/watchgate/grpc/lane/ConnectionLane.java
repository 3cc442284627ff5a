package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import io.watchgate.fanout.ByteSlices;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lane of one connection: its window, its socket, and the streams that wait for one of them. Used
 * on the event loop of the connection.
 */
public final class ConnectionLane {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLane.class);

  /** Room that a woken stream is assumed to need at least, in bytes. */
  private static final int MIN_ROOM = 256;

  private final ChannelHandlerContext context;
  private final Channel channel;
  private final Http2Connection connection;
  private final Http2Stream connectionStream;
  private final Http2RemoteFlowController flow;
  private final Http2Connection.PropertyKey laneOfStream;
  private final LaneBuffer buffer;
  private final SequencedSet<StreamLane> waiting = new LinkedHashSet<>();

  /** Streams that were woken and have not asked since. */
  private int waking;

  /** Bytes of the window that are left, while the buffer has bytes of this connection. */
  private int budget;

  /** Bytes in the buffer that the window is not charged for yet. */
  private int uncharged;

  private int initialWindow;

  /** Stream whose HEADERS frame is being read; 0 for none. */
  private int openingStream;

  private boolean sentSincePing;

  private ConnectionLane(ChannelHandlerContext context, Http2Connection http2, LaneBuffer buffer) {
    this.context = context;
    this.channel = context.channel();
    this.connection = http2;
    this.connectionStream = http2.connectionStream();
    this.flow = http2.remote().flowController();
    this.laneOfStream = http2.newKey();
    this.buffer = buffer;
    this.initialWindow = flow.initialWindowSize();
  }

  /**
   * Installs the lane on a connection whose client has sent its first SETTINGS frame, before the
   * first stream.
   *
   * @param http2 context of gRPC's HTTP/2 handler
   * @return null if the handler or its flow controller is not as expected
   */
  public static @Nullable ConnectionLane attach(ChannelHandlerContext http2, LaneBuffer buffer) {
    if (!(http2.handler() instanceof Http2ConnectionHandler handler)) {
      return null;
    }
    ConnectionLane lane = new ConnectionLane(http2, handler.connection(), buffer);
    if (!lane.canCharge()) {
      return null;
    }
    Http2ConnectionDecoder decoder = handler.decoder();
    decoder.frameListener(new LaneFrameListener(decoder.frameListener(), lane));
    handler
        .connection()
        .addListener(
            new Http2ConnectionAdapter() {
              @Override
              public void onStreamClosed(Http2Stream stream) {
                StreamLane closed = lane.of(stream);
                if (closed != null) {
                  closed.end();
                }
              }
            });
    return lane;
  }

  /** Returns whether the flow controller accepts a negative increment, which is not documented. */
  private boolean canCharge() {
    try {
      int before = flow.windowSize(connectionStream);
      flow.incrementWindowSize(connectionStream, -1);
      boolean charged = flow.windowSize(connectionStream) == before - 1;
      flow.incrementWindowSize(connectionStream, 1);
      return charged && flow.windowSize(connectionStream) == before;
    } catch (Http2Exception | RuntimeException e) {
      return false;
    }
  }

  /**
   * Returns the lane of the stream that the caller is starting; null if the caller is not on the
   * stack of the stream's HEADERS frame. At most one for each stream.
   *
   * @param listener listener of the stream
   */
  public @Nullable StreamLane openStream(StreamLane.ReadyListener listener) {
    int id = openingStream;
    openingStream = 0;
    Http2Stream stream = id == 0 ? null : connection.stream(id);
    if (stream == null) {
      return null;
    }
    StreamLane opened = new StreamLane(this, stream, listener);
    stream.setProperty(laneOfStream, opened);
    return opened;
  }

  private @Nullable StreamLane of(Http2Stream stream) {
    return stream.getProperty(laneOfStream);
  }

  // ---- frames of the client

  void beginHeaders(int streamId) {
    openingStream = streamId;
  }

  void endHeaders() {
    openingStream = 0;
  }

  /**
   * Lets all streams give back their credit if the client has changed the initial window, which
   * changes the window of each stream.
   */
  void onSettings() throws Http2Exception {
    int initial = flow.initialWindowSize();
    if (initial != initialWindow) {
      initialWindow = initial;
      connection.forEachActiveStream(
          stream -> {
            StreamLane lane = of(stream);
            if (lane != null) {
              lane.onInitialWindow();
            }
            return true;
          });
    }
  }

  void onWindowUpdate(int streamId) {
    if (streamId == 0) {
      wakeWaiting();
      return;
    }
    Http2Stream stream = connection.stream(streamId);
    StreamLane lane = stream == null ? null : of(stream);
    if (lane != null) {
      lane.onWindowUpdate();
    }
  }

  /** Returns whether the lane has sent DATA since the last call. */
  boolean takeSentSincePing() {
    boolean sent = sentSincePing;
    sentSincePing = false;
    return sent;
  }

  // ---- streams that wait for the connection

  /** Wakes waiting streams, because the socket has taken most of what was written to it. */
  public void onWritable() {
    wakeWaiting();
  }

  /** Returns whether the connection has room: its socket, and its window. */
  boolean hasRoom() {
    return isWritable() && window() > 0;
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  /** Adds a stream that waits for room. It is woken once. */
  void addWaiting(StreamLane stream) {
    waiting.add(stream);
  }

  void removeWaiting(StreamLane stream) {
    waiting.remove(stream);
  }

  /**
   * Records that a woken stream has asked for room, or has ended. The next streams are woken after
   * its task, when it has used what it needs.
   */
  void endWake() {
    if (--waking == 0 && !waiting.isEmpty()) {
      context.executor().execute(this::wakeWaiting);
    }
  }

  /** Wakes as many waiting streams as there is room for, in order. */
  private void wakeWaiting() {
    if (waking > 0 || waiting.isEmpty()) {
      return;
    }
    long room = isWritable() ? Math.min(window(), channel.bytesBeforeUnwritable()) : 0;
    while (room > 0 && !waiting.isEmpty()) {
      StreamLane next = waiting.removeFirst();
      waking++;
      room -= Math.max(MIN_ROOM, next.lastBytes());
      next.wake();
    }
  }

  // ---- windows

  /** Returns the window of the connection: bytes that may be sent now. */
  private int window() {
    return buffer.isCurrent(this) ? budget : flow.windowSize(connectionStream);
  }

  /** Returns whether a payload fits into the window of the connection, and its socket is ready. */
  boolean accepts(int payload) {
    return isWritable() && window() >= payload;
  }

  int windowOf(Http2Stream stream) {
    return flow.windowSize(stream);
  }

  /** Changes the window of a stream that gRPC sees. */
  void changeWindow(Http2Stream stream, int difference) {
    try {
      flow.incrementWindowSize(stream, difference);
    } catch (Http2Exception e) {
      // The client has widened the window beyond the maximum of HTTP/2.
      log.debug("{}: connection closed for its window", channel.remoteAddress(), e);
      var _ = channel.close();
    }
  }

  /** Returns whether gRPC has bytes of a stream, or has yet to write its headers. */
  boolean hasBytesOf(Http2Stream stream) {
    return !stream.isHeadersSent() || flow.hasFlowControlled(stream);
  }

  // ---- sending

  LaneBuffer buffer() {
    return buffer;
  }

  /** Runs a task after gRPC has written what it was given before this call. */
  void afterGrpc(Runnable task) {
    context.executor().execute(task);
  }

  /** Sends a response that {@link #accepts} accepted. */
  void send(int streamId, ByteSlices response, int payload) {
    if (!buffer.isCurrent(this)) {
      budget = flow.windowSize(connectionStream);
    }
    buffer.append(this, streamId, response);
    budget -= payload;
    uncharged += payload;
  }

  ByteBuf allocate(int bytes) {
    return context.alloc().directBuffer(bytes, bytes);
  }

  /** Closes the connection after a failure: bytes that were counted as sent are lost. */
  void fail(Throwable e) {
    log.error("{}: connection closed, since its lane failed", channel.remoteAddress(), e);
    var _ = channel.close();
  }

  /** Writes frames. The window is charged first, since a write may let gRPC write too. */
  void write(ByteBuf frames) {
    int charged = uncharged;
    uncharged = 0;
    sentSincePing = true;
    try {
      flow.incrementWindowSize(connectionStream, -charged);
    } catch (Http2Exception e) {
      throw new IllegalStateException("a window that cannot become smaller", e);
    }
    var _ = context.writeAndFlush(frames);
  }
}
