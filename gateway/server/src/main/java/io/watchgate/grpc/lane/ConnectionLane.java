package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import io.watchgate.encode.ByteSlices;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lane of one connection: its window, its socket, and the streams that wait for one of them. Used
 * on the event loop of the connection.
 */
public final class ConnectionLane {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLane.class);

  private final ChannelHandlerContext context;
  private final Channel channel;
  private final Http2Connection connection;
  private final Http2Stream connectionStream;
  private final Http2RemoteFlowController flow;
  private final Http2Connection.PropertyKey laneOfStream;
  private final LaneFlusher flusher;
  private final LaneWaiters waiters;

  /** Frames that are collected until they are written; null: none. */
  private @Nullable ByteBuf frames;

  /** Bytes of the last write; the next one is likely to be as large. */
  private int lastWrite;

  /** Payload of the frames, for which the window is charged when they are written. */
  private int uncharged;

  /** Streams that other threads have ended, until the event loop knows. */
  private final AtomicInteger ending = new AtomicInteger();

  private int initialWindow;

  /** Stream whose HEADERS frame is being read; 0 for none. */
  private int openingStream;

  /**
   * Number of the last task in which a response did not fit into the window and was passed to gRPC;
   * -1: none.
   */
  private long exhaustedIn = -1;

  /** False while the socket has not taken all that the lane has written to it. */
  private boolean socketReady = true;

  private final PingFilter pings;

  private ConnectionLane(
      ChannelHandlerContext context, Http2Connection http2, LaneFlusher flusher, PingFilter pings) {
    this.context = context;
    this.channel = context.channel();
    this.connection = http2;
    this.connectionStream = http2.connectionStream();
    this.flow = http2.remote().flowController();
    this.laneOfStream = http2.newKey();
    this.flusher = flusher;
    this.waiters = new LaneWaiters(context.executor(), this::room);
    this.pings = pings;
    this.initialWindow = flow.initialWindowSize();
  }

  /**
   * Installs the lane on a connection whose client has sent its first SETTINGS frame, before the
   * first stream.
   *
   * @param http2 context of gRPC's HTTP/2 handler
   * @param pings rule for the pings of this connection
   * @return null if the handler or its flow controller is not as expected
   */
  public static @Nullable ConnectionLane attach(
      ChannelHandlerContext http2, LaneFlusher flusher, PingFilter pings) {
    if (!(http2.handler() instanceof Http2ConnectionHandler handler)) {
      return null;
    }
    ConnectionLane lane = new ConnectionLane(http2, handler.connection(), flusher, pings);
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
                StreamLane closed = lane.laneOf(stream);
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
  public @Nullable StreamLane openStream(StreamLane.Listener listener) {
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

  private @Nullable StreamLane laneOf(Http2Stream stream) {
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
            StreamLane lane = laneOf(stream);
            if (lane != null) {
              lane.onInitialWindow();
            }
            return true;
          });
    }
  }

  void onWindowUpdate(int streamId) {
    if (streamId == 0) {
      waiters.wake();
      return;
    }
    Http2Stream stream = connection.stream(streamId);
    StreamLane lane = stream == null ? null : laneOf(stream);
    if (lane != null) {
      lane.onWindowUpdate();
    }
  }

  /** Returns the rule by which pings are passed to gRPC. */
  PingFilter pings() {
    return pings;
  }

  // ---- streams that wait for the connection

  /** Wakes waiting streams if gRPC's bytes, too, no longer fill the socket. */
  public void onWritabilityChanged() {
    waiters.wake();
  }

  private void onWritten(boolean isSuccess) {
    socketReady = true;
    if (!isSuccess) {
      closeNow();
    }
    waiters.wake();
  }

  private void onFailure(Throwable e) {
    log.error("{}: connection closed, since its lane failed", channel.remoteAddress(), e);
    closeNow();
  }

  /** Returns whether the connection has room: its socket, and its window. */
  boolean hasRoom() {
    return isSocketReady() && exhaustedIn != flusher.tasks() && window() > 0;
  }

  /**
   * Returns whether the socket has taken all that the lane has written. So a socket that is not
   * read keeps no more than what one task has collected for it.
   */
  boolean isSocketReady() {
    return socketReady && channel.isWritable();
  }

  /** Returns the bytes that the connection takes now. */
  private long room() {
    return isSocketReady() ? Math.min(window(), channel.bytesBeforeUnwritable()) : 0;
  }

  /** Returns the streams and groups that wait for room. */
  LaneWaiters waiters() {
    return waiters;
  }

  /** Returns whether the window has room for {@code bytes} bytes. */
  boolean hasRoom(long bytes) {
    return exhaustedIn != flusher.tasks() && window() >= bytes;
  }

  /** Closes the connection below gRPC, which would first wait for its streams to end. */
  private void closeNow() {
    var _ = context.close();
  }

  // ---- windows

  /** Returns the window of the connection: bytes that may be sent now. */
  private int window() {
    return flow.windowSize(connectionStream) - uncharged;
  }

  /**
   * Returns whether a payload fits into the window of the connection, and its socket is ready. gRPC
   * sends a payload that does not fit, and uses the rest of the window. The other streams find no
   * room until the next task.
   */
  boolean accepts(int payload) {
    if (!isSocketReady()) {
      return false;
    }
    if (window() < payload) {
      exhaustedIn = flusher.tasks();
      return false;
    }
    return true;
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
      closeNow();
    }
  }

  /** Returns whether gRPC has bytes of a stream, or has yet to write its headers. */
  boolean hasBytesOf(Http2Stream stream) {
    return !stream.isHeadersSent() || flow.hasFlowControlled(stream);
  }

  // ---- sending

  LaneFlusher flusher() {
    return flusher;
  }

  /**
   * Ends the lane of a stream, on the event loop. Until it is done, no group sends: a group does
   * not ask whether a member may still be sent anything.
   */
  void end(StreamLane stream) {
    if (context.executor().inEventLoop()) {
      stream.endOnLoop();
      return;
    }
    ending.incrementAndGet();
    context
        .executor()
        .execute(
            () -> {
              ending.decrementAndGet();
              stream.endOnLoop();
            });
  }

  /** Returns whether other threads have ended streams of which the event loop does not know yet. */
  boolean isEndingStreams() {
    return ending.get() > 0;
  }

  /** Runs a task after gRPC has written what it was given before this call. */
  void afterGrpc(Runnable task) {
    context.executor().execute(task);
  }

  /** Collects the frames of a response that {@link #accepts} accepted. */
  void send(int streamId, ByteSlices response, int payload) {
    int size = DataFrameEncoder.size(payload);
    DataFrameEncoder.write(reserve(size), streamId, response);
    uncharged += payload;
    flusher.count(size);
  }

  /**
   * Collects the frames of a response for several streams, for all of which there is room.
   *
   * @param streamIds ids of the streams; 0 for none
   * @param count number of elements that are used
   */
  void send(int[] streamIds, int count, ByteSlices response, int payload) {
    int size = DataFrameEncoder.size(payload);
    int streams = 0;
    ByteBuf out = Unpooled.EMPTY_BUFFER;
    int first = 0;
    for (int i = 0; i < count; i++) {
      int id = streamIds[i];
      if (id == 0) {
        continue;
      }
      if (streams++ == 0) {
        out = reserve(size * (count - i));
        first = out.writerIndex();
        DataFrameEncoder.write(out, id, response);
      } else {
        DataFrameEncoder.repeat(out, first, size, id);
      }
    }
    uncharged += payload * streams;
    flusher.countGrouped(streams, size * streams);
  }

  /**
   * Returns the buffer of this task, with room for {@code bytes} bytes. Fails before any is
   * written.
   */
  private ByteBuf reserve(int bytes) {
    ByteBuf out = frames;
    if (out == null) {
      out = context.alloc().directBuffer(Math.max(bytes, lastWrite));
      frames = out;
      flusher.add(this);
    }
    return out.ensureWritable(bytes);
  }

  /**
   * Writes the frames. The window is charged first, since a write may let gRPC write too. After a
   * failure the connection is closed: bytes that count as sent are lost.
   */
  void write() {
    ByteBuf content = frames;
    if (content == null) {
      return;
    }
    int charged = uncharged;
    frames = null;
    uncharged = 0;
    pings.onData();
    lastWrite = content.readableBytes();
    try {
      flow.incrementWindowSize(connectionStream, -charged);
    } catch (Http2Exception | RuntimeException | Error e) {
      content.release();
      onFailure(e);
      return;
    }
    try {
      ChannelFuture written = context.writeAndFlush(content); // releases it, also after a failure
      if (!written.isDone()) {
        socketReady = false;
        var _ = written.addListener(_ -> onWritten(written.isSuccess()));
      } else if (!written.isSuccess()) {
        closeNow();
      }
    } catch (RuntimeException | Error e) {
      onFailure(e);
    }
  }
}
