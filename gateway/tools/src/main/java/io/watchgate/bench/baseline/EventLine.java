package io.watchgate.bench.baseline;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.EventType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One line of a watch, split without parsing. Type, object and version are read from the offsets at
 * which every apiserver writes them.
 *
 * @param type never a bookmark
 * @param object bytes as received
 * @param node name of the pod's node; empty if there is none
 * @param version resourceVersion of the object, which increases within a watch
 */
record EventLine(EventType type, ByteString object, String node, long version) {
  private static final int TYPE_AT = "{\"type\":\"".length();
  private static final byte[] OBJECT = ascii("\"object\":");
  private static final byte[] VERSION = ascii("\"resourceVersion\":\"");
  private static final byte[] NODE = ascii("\"nodeName\":\"");

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns whether a line is an event of an object. */
  static boolean isChange(byte[] line) {
    return line.length > TYPE_AT && "AMD".indexOf(line[TYPE_AT]) >= 0;
  }

  static EventLine of(byte[] line) {
    int object = indexOf(line, OBJECT) + OBJECT.length;
    int node = indexOf(line, NODE);
    return new EventLine(
        switch (line[TYPE_AT]) {
          case 'A' -> EventType.EVENT_TYPE_ADDED;
          case 'M' -> EventType.EVENT_TYPE_MODIFIED;
          default -> EventType.EVENT_TYPE_DELETED;
        },
        ByteString.copyFrom(line, object, line.length - 1 - object),
        node < 0 ? "" : upToQuote(line, node + NODE.length),
        version(line));
  }

  /**
   * Returns the resourceVersion of an event or bookmark. The object's own version precedes all
   * others.
   */
  static long version(byte[] line) {
    return Long.parseLong(upToQuote(line, indexOf(line, VERSION) + VERSION.length));
  }

  private static String upToQuote(byte[] line, int from) {
    int to = from;
    while (to < line.length && line[to] != '"') {
      to++;
    }
    return new String(line, from, to - from, StandardCharsets.UTF_8);
  }

  /** Returns -1 if the line does not contain {@code wanted}. */
  private static int indexOf(byte[] line, byte[] wanted) {
    for (int at = 0; at <= line.length - wanted.length; at++) {
      if (line[at] == wanted[0]
          && Arrays.equals(line, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
