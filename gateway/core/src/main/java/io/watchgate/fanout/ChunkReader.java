package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.Position;
import io.watchgate.fanout.SharedChunks.Chunk;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.function.Consumer;

/**
 * Read position of one stream in a sequence of chunks that streams may share. Used by one event
 * loop.
 */
final class ChunkReader {
  private final PhaseMachine.Context context;
  private final SharedChunks chunks;
  private final long began;
  private Chunk at;
  private long sent;
  private ByteSlices rest = ByteSlices.EMPTY;
  private int restEvents;

  /**
   * @param start node before the first chunk, taken before the chunks could be closed to joiners
   */
  ChunkReader(PhaseMachine.Context context, SharedChunks chunks, Chunk start) {
    this.context = context;
    this.chunks = chunks;
    this.at = start;
    this.began = context.time().nanoTime();
    chunks.join(context.userResources().encoded());
  }

  /** Stops reading. Called once. */
  void close() {
    chunks.leave();
  }

  /**
   * Sends the next chunk unless it is the last or not available yet. Returns whether at most the
   * last chunk is left; the caller then calls {@link #finish}.
   */
  boolean sendNext() {
    if (context.time().nanoTime() - began > SnapshotSettings.DEFAULTS.joinableFor().toNanos()) {
      chunks.closeToJoiners();
    }
    Chunk next = chunks.after(at);
    if (next == null) {
      return chunks.isEnd(at);
    }
    at = next;
    ByteSlices events = next.atMost(context.out().maxEventBytes());
    if (chunks.isEnd(next)) {
      rest = events;
      restEvents = next.count();
      return true;
    }
    sent += next.count();
    context.out().send(events, next.count());
    return false;
  }

  /**
   * Sends the last chunk, if there is one, with the signal and the position that end the sequence.
   */
  void finish(Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    context.out().signal(rest, restEvents, position, signal);
  }

  /** Returns the number of events, once all but the last chunk was sent. */
  long eventCount() {
    return sent + restEvents;
  }

  /** Returns a reader of chunks that no other stream shares. */
  static ChunkReader unshared(PhaseMachine.Context context, SharedChunks chunks) {
    Chunk start = chunks.start();
    if (start == null) {
      throw new IllegalArgumentException(
          "chunks that another stream has begun cannot be read alone");
    }
    chunks.closeToJoiners();
    return new ChunkReader(context, chunks, start);
  }
}
