package io.watchgate.grpc.lane;

import io.grpc.ServerCall;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import io.watchgate.encode.ByteSlices;
import io.watchgate.fanout.SinkGroup;
import org.jspecify.annotations.Nullable;

/**
 * Lane of one stream: its credit, and the choice between the lane and gRPC for its next response.
 * Used on the event loop of the connection. Every response of the stream is sent through it, also
 * those that gRPC sends.
 */
public final class StreamLane implements LaneWaiters.Waiter {
  /**
   * Largest response that takes the lane, with its prefix, in bytes: the frames of one response
   * must not be most of what is collected.
   */
  static final int MAX_PAYLOAD = 128 << 10;

  /**
   * Credit that is taken at once, in bytes: usually the whole window, so that a stream asks the
   * flow controller once.
   */
  private static final int MAX_CREDIT = 1 << 20;

  /**
   * Number of times that a stream is woken without room before it sends by gRPC, which shares the
   * room fairly. Others have used it meanwhile.
   */
  private static final int MAX_WAKES = 3;

  private final ConnectionLane connection;
  private final Http2Stream stream;
  private final int id;
  private final Listener listener;
  private State state = State.WITH_GRPC;

  /** Bytes that were taken out of the stream's window. */
  private int credit;

  private int lastBytes;

  /** Times that the stream was woken since its last response. */
  private int wakes;

  private Wait wait = Wait.NONE;

  /** Group that sends for this stream; null if it sends for itself. */
  private @Nullable LaneGroup group;

  /** Index in its group. */
  int groupIndex;

  /** True if {@link #onGrpcWritten} was posted. */
  private boolean awaitsGrpcWrite;

  /** True if gRPC was given another response after {@link #onGrpcWritten} was posted. */
  private boolean sentSince;

  /** Listener of a stream. */
  public interface Listener {
    /** Called when a stream that had to wait is to try again; only posts a task. */
    void onReady();

    /** Called with the bytes of responses that the stream was sent as a member of a group. */
    void onSentByGroup(long bytes);
  }

  /** Readiness of a stream for its next response. */
  private enum Readiness {
    /** The lane takes a response, unless it is larger than what is left of a window. */
    LANE,
    /** The stream sends by gRPC, if gRPC is ready. */
    GRPC,
    /** No response may be sent; {@link Listener} will be called. */
    WAIT
  }

  private enum State {
    /** gRPC may have something of the stream in its write queue. */
    WITH_GRPC,
    /** gRPC's write queue has nothing of the stream, but its flow controller may have. */
    WRITTEN_BY_GRPC,
    /** gRPC has nothing of the stream. */
    CLEAR,
    /** gRPC has nothing of the stream, and a {@link LaneGroup} sends for it. */
    GROUPED,
    ENDED
  }

  private enum Wait {
    NONE,
    /** It waits until gRPC's write queue has nothing of it. */
    WRITE_QUEUE,
    STREAM_WINDOW,
    CONNECTION,
    /** It waited for the connection and was woken. */
    WOKEN
  }

  StreamLane(ConnectionLane connection, Http2Stream stream, Listener listener) {
    this.connection = connection;
    this.stream = stream;
    this.id = stream.id();
    this.listener = listener;
  }

  /**
   * Returns whether a stream that wants to send may. If not, the stream waits from now on, and its
   * {@link Listener} will be called.
   */
  public boolean isReady(ServerCall<?, ?> call) {
    return switch (requestTurn()) {
      case LANE -> true;
      case GRPC -> call.isReady();
      case WAIT -> false;
    };
  }

  private Readiness requestTurn() {
    boolean woken = takeWoken();
    return switch (state) {
      case ENDED -> Readiness.GRPC;
      case WITH_GRPC -> awaitsGrpcWrite ? await(Wait.WRITE_QUEUE) : Readiness.GRPC;
      case WRITTEN_BY_GRPC, CLEAR ->
          becomesClear() ? readinessOfLane(woken) : readinessBehindGrpc();
      case GROUPED -> throw new IllegalStateException("a stream that a group sends for");
    };
  }

  /** Returns whether gRPC has nothing of the stream, which is noted. */
  private boolean becomesClear() {
    if (state == State.WRITTEN_BY_GRPC && !connection.hasBytesOf(stream)) {
      state = State.CLEAR;
    }
    return state == State.CLEAR;
  }

  private Readiness readinessOfLane(boolean woken) {
    if (credit == 0 && !takeCredit(1)) {
      return await(Wait.STREAM_WINDOW);
    }
    if (connection.hasRoom()) {
      return Readiness.LANE;
    }
    if (woken && ++wakes >= MAX_WAKES && connection.isSocketReady()) {
      return Readiness.GRPC;
    }
    return await(Wait.CONNECTION);
  }

  /** A stream waits until gRPC has sent all of it; otherwise it would never return to the lane. */
  private Readiness readinessBehindGrpc() {
    if (connection.windowOf(stream) <= 0) {
      return await(Wait.STREAM_WINDOW);
    }
    return connection.hasRoom() ? Readiness.GRPC : await(Wait.CONNECTION);
  }

  private Readiness await(Wait reason) {
    if (wait != Wait.CONNECTION) { // else it is in the queue
      wait = reason;
      if (reason == Wait.CONNECTION) {
        connection.waiters().add(this);
      }
    }
    return Readiness.WAIT;
  }

  /** Returns whether the stream was woken for room of the connection, and has not asked since. */
  private boolean takeWoken() {
    boolean woken = wait == Wait.WOKEN;
    if (woken) {
      wait = Wait.NONE;
      connection.waiters().endWake();
    }
    return woken;
  }

  /** Sends a response by the lane, or by gRPC if the lane does not take it. */
  public void send(ServerCall<?, ByteSlices> call, ByteSlices response) {
    if (!trySend(response)) {
      sendByGrpc(call, response);
    }
  }

  private boolean trySend(ByteSlices response) {
    int payload = DataFrameEncoder.payload(response);
    lastBytes = payload;
    if (state == State.GROUPED) {
      throw new IllegalStateException("a stream that a group sends for");
    }
    if (state != State.CLEAR
        || payload > MAX_PAYLOAD
        || !connection.flusher().isInTask()
        || (credit < payload && !takeCredit(payload))
        || !connection.accepts(payload)) {
      return false;
    }
    connection.send(id, response, payload);
    credit -= payload;
    wakes = 0;
    return true;
  }

  /** Returns the bytes of the last response. */
  @Override
  public int lastBytes() {
    return lastBytes;
  }

  int credit() {
    return credit;
  }

  /** Takes more out of the stream's window. Returns whether there is enough credit then. */
  boolean takeCredit(int least) {
    int more = Math.min(MAX_CREDIT - credit, connection.windowOf(stream));
    if (more > 0) {
      connection.changeWindow(stream, -more);
      credit += more;
    }
    return credit >= least;
  }

  private void giveBackCredit() {
    if (credit > 0) {
      int all = credit;
      credit = 0;
      connection.changeWindow(stream, all);
    }
  }

  // ---- as a member of a group

  /**
   * Returns a new group with this stream as its first member; null if the stream has to wait, or
   * gRPC has something of it.
   */
  public @Nullable SinkGroup openGroup(Runnable onReady) {
    return canJoin() ? joined(new LaneGroup(connection, onReady)) : null;
  }

  /**
   * Adds this stream to a group. Returns false if the group is of another connection, the stream
   * has to wait, or gRPC has something of it.
   */
  public boolean join(SinkGroup joined) {
    if (!(joined instanceof LaneGroup streams)
        || streams.connection() != connection
        || !canJoin()) {
      return false;
    }
    var _ = joined(streams);
    return true;
  }

  private boolean canJoin() {
    return wait == Wait.NONE && becomesClear();
  }

  private LaneGroup joined(LaneGroup streams) {
    state = State.GROUPED;
    group = streams;
    streams.add(this, id);
    return streams;
  }

  /** Counts what the group has sent. */
  void deductGroupUse(int payload, long bytes) {
    credit -= payload;
    if (bytes > 0) {
      listener.onSentByGroup(bytes);
    }
  }

  /** Leaves its group, which has deducted what it used. */
  void leaveGroup() {
    group = null;
    if (state == State.GROUPED) {
      state = State.CLEAR;
    }
  }

  // ---- gRPC's way

  /** Sends a response by gRPC, which needs the stream's credit. */
  public void sendByGrpc(ServerCall<?, ByteSlices> call, ByteSlices response) {
    if (state != State.ENDED) {
      state = State.WITH_GRPC;
      giveBackCredit();
    }
    call.sendMessage(response);
    connection.flusher().countGrpcResponse();
    wakes = 0;
    if (awaitsGrpcWrite) {
      sentSince = true;
    } else {
      awaitGrpcWrite();
    }
  }

  private void awaitGrpcWrite() {
    awaitsGrpcWrite = true;
    sentSince = false;
    connection.afterGrpc(this::onGrpcWritten);
  }

  /**
   * Runs after a task of gRPC's write queue, which the response before had posted. For a later
   * response gRPC may have posted another task, which is behind this one.
   */
  private void onGrpcWritten() {
    awaitsGrpcWrite = false;
    connection.waiters().wake();
    if (sentSince) {
      awaitGrpcWrite();
    } else if (state == State.WITH_GRPC) {
      state = State.WRITTEN_BY_GRPC;
      endWait(Wait.WRITE_QUEUE);
    }
  }

  // ---- events of the connection

  /** Wakes the stream, which waited for the connection. */
  @Override
  public void wake() {
    wait = Wait.WOKEN;
    listener.onReady();
  }

  void onWindowUpdate() {
    if (wait == Wait.STREAM_WINDOW && connection.windowOf(stream) > 0) {
      endWait(Wait.STREAM_WINDOW);
    }
  }

  private void endWait(Wait reason) {
    if (wait == reason) {
      wait = Wait.NONE;
      listener.onReady();
    }
  }

  void onInitialWindow() {
    LaneGroup streams = group;
    if (streams != null && state == State.GROUPED) {
      streams.deductBeforeRelease(this);
    }
    giveBackCredit();
    onWindowUpdate();
  }

  /** Returns whether the stream wanted to send and has to wait. */
  public boolean isWaiting() {
    LaneGroup streams = group;
    return wait != Wait.NONE || (streams != null && streams.isWaiting());
  }

  /** Returns whether gRPC has nothing of the stream. */
  public boolean isClearOfGrpc() {
    return state == State.CLEAR || state == State.GROUPED;
  }

  /**
   * Ends the lane: the stream is closed or sends nothing more, from the return of this call. A
   * second call does nothing. From any thread: a call may be refused before the event loop has used
   * its lane, and a right withdrawn at any time.
   */
  public void end() {
    connection.end(this);
  }

  void endOnLoop() {
    LaneGroup streams = group;
    if (streams != null && state == State.GROUPED) {
      streams.end(this);
    }
    if (state != State.ENDED) {
      state = State.ENDED;
      if (wait == Wait.CONNECTION) {
        connection.waiters().remove(this);
      }
      boolean _ = takeWoken();
    }
  }
}
