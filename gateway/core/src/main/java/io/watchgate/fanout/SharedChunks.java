package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.EventEncoder;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sequence of events that several streams send, encoded once in chunks, each by the first stream
 * that needs it. Each stream has its own {@link ChunkReader}. Encoding holds a lock for one bounded
 * piece; nothing is sent meanwhile. The size of a chunk is {@link FanoutSettings#MAX_CHUNK_BYTES}.
 * Thread-safe.
 */
abstract class SharedChunks {
  /**
   * Heap bytes of an event beside the object's own bytes: names, uid, version, time, and the object
   * header.
   */
  private static final int EVENT_BYTES = 200;

  /** Heap bytes of the reference to a slice. */
  private static final int PIECE_BYTES = 12;

  /**
   * Objects read per call, so that a stream that needs few of many objects does not block its event
   * loop: a few milliseconds.
   */
  private static final int OBJECTS_PER_CALL = 4_096;

  private final EventEncoder encoder;
  private final int limit;

  /**
   * Node before the first chunk. Null once it is closed to joiners, because it keeps all chunks
   * alive.
   */
  private volatile @Nullable Chunk start = new Chunk(ByteSlices.EMPTY, ByteSlices.EMPTY, 0);

  private boolean done;

  /**
   * Set while encoding. If it stays set, the events of a chunk that failed are lost, and all
   * streams fail.
   */
  private boolean encoding;

  private @Nullable Item unsent;

  /** Heap bytes of the chunks beside the cache's own bytes; guarded by this. */
  private long heapBytes;

  /**
   * Number of streams that read, and the total to which the bytes are added while there are any;
   * guarded by this.
   */
  private int readers;

  private AtomicLong counted = new AtomicLong();

  /**
   * @param limit maximum bytes of a chunk with more than one event
   */
  SharedChunks(EventEncoder encoder, int limit) {
    this.encoder = encoder;
    this.limit = limit;
  }

  /** Event that is not encoded yet. */
  interface Item {
    /** Object that leads to no event. */
    Item NOTHING = encoder -> ByteSlices.EMPTY;

    ByteSlices encode(EventEncoder encoder);
  }

  /** Part of the sequence: a response without position. */
  static final class Chunk {
    private final ByteSlices events;
    private final ByteSlices withoutBody;
    private final int count;
    private volatile @Nullable Chunk next;
    private volatile boolean last;

    private Chunk(ByteSlices events, ByteSlices withoutBody, int count) {
      this.events = events;
      this.withoutBody = withoutBody;
      this.count = count;
    }

    /**
     * Returns the response; if a single event has more than {@code bytes} bytes, without its body.
     */
    ByteSlices atMost(int bytes) {
      return events.size() <= bytes || withoutBody.isEmpty() ? events : withoutBody;
    }

    /** Returns the number of events. */
    int count() {
      return count;
    }
  }

  /** Returns the event of the next object, NOTHING, or null at the end. Called under the lock. */
  abstract @Nullable Item next();

  /**
   * Returns the node before the first chunk, at which every stream starts. Null after {@link
   * #closeToJoiners}.
   */
  final @Nullable Chunk start() {
    return start;
  }

  /**
   * Counts a stream that reads, until {@link #leave}.
   *
   * @param total counter of the heap bytes of all chunks that are read
   */
  final synchronized void join(AtomicLong total) {
    if (readers++ == 0) {
      counted = total;
      counted.addAndGet(heapBytes);
    }
  }

  final synchronized void leave() {
    if (--readers == 0) {
      counted.addAndGet(-heapBytes);
    }
  }

  /** Closes the sequence to new streams, so that chunks sent by all streams are garbage. */
  final void closeToJoiners() {
    start = null;
  }

  /** Returns the chunk after a chunk. Null if {@link #isEnd}, or if this call found no event. */
  final @Nullable Chunk after(Chunk chunk) {
    Chunk known = chunk.next;
    return known != null ? known : extend(chunk);
  }

  /** Returns whether the chunk is the last. */
  final boolean isEnd(Chunk chunk) {
    return chunk.last;
  }

  private synchronized @Nullable Chunk extend(Chunk chunk) {
    if (chunk.next == null && !done) {
      Chunk made = encodeOrFail();
      Chunk newest = made == null ? chunk : made;
      if (made != null) {
        long more = (long) EVENT_BYTES * made.count + (long) PIECE_BYTES * made.events.count();
        heapBytes += more;
        counted.addAndGet(readers > 0 ? more : 0);
      }
      newest.last = done; // before other threads see the chunk
      chunk.next = made;
    }
    return chunk.next;
  }

  private @Nullable Chunk encodeOrFail() {
    if (encoding) {
      throw new IllegalStateException("an event before this one could not be encoded");
    }
    encoding = true;
    try {
      Chunk made = encode();
      encoding = false;
      return made;
    } finally {
      if (encoding) {
        closeToJoiners();
      }
    }
  }

  private @Nullable Chunk encode() {
    ByteSlices.Builder events = new ByteSlices.Builder(64);
    ByteSlices withoutBody = ByteSlices.EMPTY;
    int count = 0;
    int looked = 0;
    for (; looked < OBJECTS_PER_CALL; looked++) {
      Item item = unsent == null ? next() : unsent;
      unsent = null;
      if (item == null) {
        done = true;
        break;
      }
      if (item.equals(Item.NOTHING)) {
        continue;
      }
      ByteSlices event = item.encode(encoder);
      if (count > 0 && events.size() + event.size() > limit) {
        unsent = item;
        break;
      }
      events.add(event);
      count++;
      if (event.size() > limit) {
        withoutBody = item.encode(encoder.omittingBodies());
        break;
      }
    }
    readAhead(OBJECTS_PER_CALL - looked);
    return count == 0 ? null : new Chunk(events.build(), withoutBody, count);
  }

  /**
   * Reads ahead for the next event, so that the last chunk is known before it is sent and the end
   * of the sequence is sent with it.
   */
  private void readAhead(int most) {
    for (int i = 0; i < most && unsent == null && !done; i++) {
      Item item = next();
      done = item == null;
      unsent = Item.NOTHING.equals(item) ? null : item;
    }
  }
}
