package io.watchgate.bench.baseline;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;

/**
 * An event that is encoded once for all streams.
 *
 * @param event encoded events field of a response
 * @param position encoded position fields, which a response has once at its end, for any number of
 *     events
 * @param node see {@link EventLine}
 * @param version see {@link EventLine}
 */
record SharedEvent(ByteString event, ByteString position, String node, long version) {
  /** Placeholder of the size of a real token, which is never read. */
  private static final ByteString TOKEN = ByteString.copyFrom(new byte[100]);

  private static final ObjectKey KEY =
      ObjectKey.newBuilder()
          .setNamespace("watchgate-bench-00000000")
          .setName("bench-000000")
          .setUid("00000000-0000-0000-0000-000000000000")
          .build();

  private static final String VERSION = "1000000";

  private static final ByteString POSITION =
      ListAndWatchResponse.newBuilder()
          .setResourceVersion(VERSION)
          .setResumeToken(TOKEN)
          .build()
          .toByteString();

  static SharedEvent of(EventLine line) {
    return new SharedEvent(
        ListAndWatchResponse.newBuilder().addEvents(event(line)).build().toByteString(),
        POSITION,
        line.node(),
        line.version());
  }

  private static WatchEvent.Builder event(EventLine line) {
    return WatchEvent.newBuilder()
        .setType(line.type())
        .setKey(KEY)
        .setResourceVersion(VERSION)
        .setObject(line.object());
  }

  /** Returns the event as a message that is built again for each call. */
  static ListAndWatchResponse newMessage(EventLine line) {
    return ListAndWatchResponse.newBuilder()
        .addEvents(event(line))
        .setResourceVersion(VERSION)
        .setResumeToken(TOKEN)
        .build();
  }
}
