package io.watchgate.bench;

/**
 * Parser for an encoded ListAndWatchResponse that reads only the fields a reader needs. It builds
 * no messages, so that the load generator costs less than the measured server. Field numbers are
 * those of watch.proto; unknown fields are skipped.
 */
final class ResponseWalker {
  /** Field numbers of signals. */
  static final int SYNCED = 12;

  static final int SNAPSHOT_STARTED = 11;
  static final int NET_EFFECT_STARTED = 14;
  static final int RESUMED = 16;

  private static final int EVENTS = 1;
  private static final int TOKEN = 3;
  private static final int FIRST_SIGNAL = 10;
  private static final int LAST_SIGNAL = 16;

  private static final int EVENT_TYPE = 1;
  private static final int EVENT_OBJECT = 4;
  private static final int EVENT_PATCH = 5;

  private static final int SYNCED_OBJECTS = 1;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private final Visitor visitor;
  private byte[] bytes = {};
  private int at;

  ResponseWalker(Visitor visitor) {
    this.visitor = visitor;
  }

  /** Receiver of the fields, in the order of the bytes. */
  interface Visitor {
    /**
     * Receives an event.
     *
     * @param type number of its EventType
     * @param from start of its object or patch in {@code in}
     * @param to end of its object or patch; {@code from} if it has neither
     */
    void event(int type, byte[] in, int from, int to);

    /** Receives a token that is not empty. */
    void token(byte[] in, int from, int to);

    /**
     * Receives a signal.
     *
     * @param field field number of the signal in the response
     * @param objects number of objects in Synced, otherwise 0
     */
    void signal(int field, long objects);
  }

  /** Failure to parse bytes that are not a response. */
  static final class MalformedException extends RuntimeException {
    MalformedException(String message) {
      super(message);
    }
  }

  /** Parses the first {@code length} bytes, which may be overwritten afterwards. */
  void walk(byte[] in, int length) {
    bytes = in;
    at = 0;
    while (at < length) {
      int tag = (int) varint(length);
      int field = tag >>> 3;
      if ((tag & 7) != LENGTH) {
        skip(tag & 7, length);
        continue;
      }
      int end = end(length);
      if (field == EVENTS) {
        event(end);
      } else if (field == TOKEN && end > at) {
        visitor.token(bytes, at, end);
      } else if (field >= FIRST_SIGNAL && field <= LAST_SIGNAL) {
        visitor.signal(field, field == SYNCED ? number(SYNCED_OBJECTS, end) : 0);
      }
      at = end;
    }
  }

  private void event(int end) {
    int type = 0;
    int from = end;
    int to = end;
    while (at < end) {
      int tag = (int) varint(end);
      int field = tag >>> 3;
      int wire = tag & 7;
      if (field == EVENT_TYPE && wire == VARINT) {
        type = (int) varint(end);
      } else if ((field == EVENT_OBJECT || field == EVENT_PATCH) && wire == LENGTH) {
        to = end(end);
        from = at;
        at = to;
      } else {
        skip(wire, end);
      }
    }
    visitor.event(type, bytes, from, to);
  }

  private long number(int wanted, int end) {
    long number = 0;
    while (at < end) {
      int tag = (int) varint(end);
      if (tag >>> 3 == wanted && (tag & 7) == VARINT) {
        number = varint(end);
      } else {
        skip(tag & 7, end);
      }
    }
    return number;
  }

  private void skip(int wire, int end) {
    switch (wire) {
      case VARINT -> varint(end);
      case FIXED64 -> advance(8, end);
      case LENGTH -> at = end(end);
      case FIXED32 -> advance(4, end);
      default -> throw new MalformedException("wire type " + wire + " at byte " + at);
    }
  }

  private void advance(int count, int end) {
    if (end - at < count) {
      throw truncated();
    }
    at += count;
  }

  /** Reads a length, and returns the end of the field that follows it. */
  private int end(int limit) {
    long length = varint(limit);
    if (length < 0 || length > limit - at) {
      throw truncated();
    }
    return at + (int) length;
  }

  private long varint(int end) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (at >= end) {
        throw truncated();
      }
      byte next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new MalformedException("a number without end before byte " + at);
  }

  private MalformedException truncated() {
    return new MalformedException("a field that is cut at byte " + at);
  }
}
