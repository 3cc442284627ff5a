package io.watchgate.feed;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.watchgate.cache.Revision;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import org.jspecify.annotations.Nullable;

/** Makes the events of one stream: its projection, its limit of size. Not thread-safe. */
public final class EventEncoder {
  /** What a response needs beside its largest event: position, token, tags. */
  private static final int RESPONSE_OVERHEAD = 512;

  private final Projection projection;
  private final int maxResponseBytes;

  public EventEncoder(Projection projection, int maxResponseBytes) {
    this.projection = projection;
    this.maxResponseBytes = maxResponseBytes;
  }

  /** An object of a snapshot or a list. */
  public WatchEvent listed(ObjectView object) {
    return present(EventType.EVENT_TYPE_ADDED, object, null);
  }

  WatchEvent present(EventType type, ObjectView object, @Nullable Revision revision) {
    WatchEvent.Builder event = head(type, object, object.resourceVersion(), revision);
    return fitting(event, projection.body(object));
  }

  /** The last matching state, with the version of the change that ended it. */
  WatchEvent removed(
      ObjectView last, String version, RemovalReason reason, @Nullable Revision revision) {
    WatchEvent.Builder event = head(EventType.EVENT_TYPE_DELETED, last, version, revision);
    return fitting(event.setRemovalReason(reason), projection.body(last, version));
  }

  private static WatchEvent.Builder head(
      EventType type, ObjectView object, String version, @Nullable Revision revision) {
    WatchEvent.Builder event =
        WatchEvent.newBuilder()
            .setType(type)
            .setKey(
                ObjectKey.newBuilder()
                    .setNamespace(object.namespace())
                    .setName(object.name())
                    .setUid(object.uid()))
            .setResourceVersion(version);
    if (revision != null) {
      event.setReceiveTime(ProtoTime.of(revision.receivedAt()));
    }
    return event;
  }

  private WatchEvent fitting(WatchEvent.Builder builder, Slices body) {
    if (!projection.hasBody()) {
      return builder.build();
    }
    WatchEvent event = builder.setObject(bytes(body)).build();
    if (event.getSerializedSize() + RESPONSE_OVERHEAD <= maxResponseBytes) {
      return event;
    }
    return builder.setOmitted(BodyOmitted.newBuilder().setSize(event.getObject().size())).build();
  }

  private static ByteString bytes(Slices slices) {
    ByteString bytes = ByteString.EMPTY;
    for (int i = 0; i < slices.count(); i++) {
      bytes =
          bytes.concat(
              UnsafeByteOperations.unsafeWrap(slices.array(i), slices.from(i), slices.length(i)));
    }
    return bytes;
  }
}
