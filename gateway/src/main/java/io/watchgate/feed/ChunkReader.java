package io.watchgate.feed;

import io.watchgate.feed.SharedChunks.Chunk;
import java.time.Duration;

/** One stream's place in a group of events that it may share. Used by one owner. */
final class ChunkReader {
  /** Who comes later begins another one: what is sent must not be older (design, section 4). */
  static final Duration JOINABLE = Duration.ofSeconds(2);

  private final StreamContext context;
  private final SharedChunks chunks;
  private final long began;
  private Chunk at;
  private long sent;

  /**
   * @param start of the chunks, taken before they could be closed to joiners
   */
  ChunkReader(StreamContext context, SharedChunks chunks, Chunk start) {
    this.context = context;
    this.chunks = chunks;
    this.at = start;
    this.began = context.time().nanoTime();
  }

  /** Sends the next chunk, if there is one. Returns whether all was sent. */
  boolean step() {
    if (context.time().nanoTime() - began > JOINABLE.toNanos()) {
      chunks.closeToJoiners();
    }
    Chunk next = chunks.after(at);
    if (next == null) {
      return chunks.isEnd(at);
    }
    at = next;
    sent += next.count();
    context.out().send(next.atMost(context.out().largest()), next.count());
    return false;
  }

  /** How many events were sent. */
  long sent() {
    return sent;
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
