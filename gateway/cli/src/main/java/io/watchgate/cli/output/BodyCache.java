package io.watchgate.cli.output;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Last body of each object, up to a number of bytes. Above the limit, the objects with the oldest
 * change are evicted first. Not thread-safe.
 */
final class BodyCache {
  private final long maxBytes;
  private final Map<ObjectKey, ByteString> bodies = new LinkedHashMap<>();
  private long bytes;

  BodyCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Stores the event's body, and returns the previous one. */
  @Nullable ByteString replace(WatchEvent event) {
    ByteString before = forget(event);
    ByteString body = event.getObject();
    bodies.put(event.getKey(), body);
    bytes += body.size();
    var eldest = bodies.values().iterator();
    while (bytes > maxBytes && eldest.hasNext()) {
      bytes -= eldest.next().size();
      eldest.remove();
    }
    return before;
  }

  /** Removes the event's object, and returns its last body. */
  @Nullable ByteString forget(WatchEvent event) {
    ByteString before = bodies.remove(event.getKey());
    bytes -= before == null ? 0 : before.size();
    return before;
  }
}
