package io.watchgate.fanout;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A group of events that several streams send, encoded once, piece by piece, by whoever comes to a
 * piece first. Each stream keeps its own place. Encoding takes a lock for one bounded step; nothing
 * is sent meanwhile. Thread-safe.
 */
abstract class SharedChunks {
  /**
   * Of a chunk of more than one event: many who lag with 1 MiB each in the transport would be
   * gigabytes. With position, token and a signal behind it, it is a response of at most 64 KiB.
   */
  static final int TARGET_BYTES = (64 << 10) - 512;

  /**
   * Beside the object's own bytes: names, uid, version, time, and the object that leads to them.
   */
  private static final int EVENT_BYTES = 200;

  /** Where a piece stands. */
  private static final int PIECE_BYTES = 12;

  /**
   * Objects looked at in one step, so that one who wants few of many does not hold up its owner:
   * some milliseconds.
   */
  private static final int LOOKED_AT = 4_096;

  private final EventEncoder encoder;
  private final int limit;

  /** Null once nobody may join any more: it keeps alive all that was encoded. */
  private volatile @Nullable Chunk start = new Chunk(ByteSlices.EMPTY, ByteSlices.EMPTY, 0);

  private boolean done;

  /** What was taken for a chunk that could not be made is lost to all: nobody goes on. */
  private boolean failed;

  private @Nullable Item unsent;

  /** Bytes of the heap that the chunks occupy beside the cache's own; guarded by this. */
  private long heapBytes;

  /** Streams that read them, and where they are counted while there are any; guarded by this. */
  private int readers;

  private AtomicLong counted = new AtomicLong();

  /**
   * @param limit of a chunk of more than one event, in bytes
   */
  SharedChunks(EventEncoder encoder, int limit) {
    this.encoder = encoder;
    this.limit = limit;
  }

  /** One event, not encoded yet. */
  interface Item {
    /** An object that is none. */
    Item NOTHING = encoder -> ByteSlices.EMPTY;

    ByteSlices encode(EventEncoder encoder);
  }

  /** A piece of the group: a response without position. */
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

    /** The response; for a single event of more bytes than that, without its body. */
    ByteSlices atMost(int bytes) {
      return events.size() <= bytes || withoutBody.isEmpty() ? events : withoutBody;
    }

    /** How many events. */
    int count() {
      return count;
    }
  }

  /** Looks at one object: its event, NOTHING, or null at the end. Called under the lock. */
  abstract @Nullable Item next();

  /**
   * Where everybody begins: before the first chunk. Null once {@link #closeToJoiners} was called.
   */
  final @Nullable Chunk start() {
    return start;
  }

  /**
   * A stream reads them, until it {@linkplain #leave leaves}.
   *
   * @param total that the heap of all chunks that are read is added to
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

  /** From now on, what everybody has sent is garbage. */
  final void closeToJoiners() {
    start = null;
  }

  /** What comes after a chunk; null where {@link #isEnd}, or if it was not found in one step. */
  final @Nullable Chunk after(Chunk chunk) {
    Chunk known = chunk.next;
    return known != null ? known : extend(chunk);
  }

  /** Whether nothing comes after it. */
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
      newest.last = done; // before anybody sees it
      chunk.next = made;
    }
    return chunk.next;
  }

  private @Nullable Chunk encodeOrFail() {
    if (failed) {
      throw new IllegalStateException("an event before this one could not be encoded");
    }
    failed = true;
    try {
      Chunk made = encode();
      failed = false;
      return made;
    } finally {
      if (failed) {
        closeToJoiners();
      }
    }
  }

  private @Nullable Chunk encode() {
    ByteSlices.Builder events = new ByteSlices.Builder(64);
    ByteSlices withoutBody = ByteSlices.EMPTY;
    int count = 0;
    int looked = 0;
    for (; looked < LOOKED_AT; looked++) {
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
    lookAhead(LOOKED_AT - looked);
    return count == 0 ? null : new Chunk(events.build(), withoutBody, count);
  }

  /** Whether anything comes after a chunk is known best before it is sent: its end goes with it. */
  private void lookAhead(int most) {
    for (int i = 0; i < most && unsent == null && !done; i++) {
      Item item = next();
      done = item == null;
      unsent = Item.NOTHING.equals(item) ? null : item;
    }
  }
}
