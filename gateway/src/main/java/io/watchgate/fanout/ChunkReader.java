package io.watchgate.fanout;

import io.watchgate.fanout.SharedChunks.Chunk;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.function.Consumer;

/** One stream's place in a group of events that it may share. Used by one owner. */
final class ChunkReader {
  /** Who comes later begins another one: what is sent must not be older (design, section 4). */
  static final Duration JOINABLE = Duration.ofSeconds(2);

  private final StreamContext context;
  private final SharedChunks chunks;
  private final long began;
  private Chunk at;
  private long sent;
  private ByteSlices rest = ByteSlices.EMPTY;
  private int restEvents;

  /**
   * @param start of the chunks, taken before they could be closed to joiners
   */
  ChunkReader(StreamContext context, SharedChunks chunks, Chunk start) {
    this.context = context;
    this.chunks = chunks;
    this.at = start;
    this.began = context.time().nanoTime();
    chunks.join(context.account().encoded());
  }

  /** Reads no more. Called once. */
  void close() {
    chunks.leave();
  }

  /**
   * Sends the next chunk, if there is one and it is not the last. Returns whether all others were
   * sent: then {@link #rest} is to be.
   */
  boolean step() {
    if (context.time().nanoTime() - began > JOINABLE.toNanos()) {
      chunks.closeToJoiners();
    }
    Chunk next = chunks.after(at);
    if (next == null) {
      return chunks.isEnd(at);
    }
    at = next;
    ByteSlices events = next.atMost(context.out().largest());
    if (chunks.isEnd(next)) {
      rest = events;
      restEvents = next.count();
      return true;
    }
    sent += next.count();
    context.out().send(events, next.count());
    return false;
  }

  /** Sends the last chunk, if there is one, with the signal and the position that end the group. */
  void finish(Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    context.out().signal(rest, restEvents, position, signal);
  }

  /** How many events there were, once all but the last chunk was sent. */
  long events() {
    return sent + restEvents;
  }

  /** Of a group that nobody else knows of. */
  static ChunkReader alone(StreamContext context, SharedChunks chunks) {
    Chunk start = chunks.start();
    if (start == null) {
      throw new IllegalArgumentException("a group that somebody else has begun");
    }
    chunks.closeToJoiners();
    return new ChunkReader(context, chunks, start);
  }
}
