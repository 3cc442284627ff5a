package io.watchgate.fanout;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Encodes events in one projection. An event comes out as a piece of a response, tag and length
 * included: everything but the body in one array, then the body in slices of the cache's own bytes.
 * So events are put together to a response without looking at them again. Immutable, thread-safe.
 */
public final class EventEncoder {
  /** Of {@code events} in a response, and of {@code object} in an event: length-delimited. */
  private static final int EVENTS_TAG = tag(ListAndWatchResponse.EVENTS_FIELD_NUMBER);

  private static final int OBJECT_TAG = tag(WatchEvent.OBJECT_FIELD_NUMBER);

  /** What an event has beside its body, at most: names of 253 bytes, uid, version, time. */
  private static final int HEAD = 1_024;

  private final ObjectProjection projection;
  private final Bodies bodies;

  private enum Bodies {
    SENT,
    OMITTED
  }

  public EventEncoder(ObjectProjection projection) {
    this(projection, Bodies.SENT);
  }

  private EventEncoder(ObjectProjection projection, Bodies bodies) {
    this.projection = projection;
    this.bodies = bodies;
  }

  /** The same for whom the bodies are too large: says how large they are instead. */
  public EventEncoder omittingBodies() {
    return new EventEncoder(projection, Bodies.OMITTED);
  }

  /** The same without patches. */
  public EventEncoder withFullChanges() {
    return new EventEncoder(projection.withFullChanges(), bodies);
  }

  private static int tag(int field) {
    return field << 3 | 2;
  }

  /** An object of a list, as a message. */
  public WatchEvent listed(KubeObject object) {
    WatchEvent.Builder event = head(EventType.EVENT_TYPE_ADDED, object, object.resourceVersion());
    ByteSlices body = projection.body(object);
    if (!projection.hasBody()) {
      return event.build();
    }
    return switch (bodies) {
      case SENT -> event.setObject(UnsafeByteOperations.unsafeWrap(body.toByteArray())).build();
      case OMITTED -> event.setOmitted(omitted(body)).build();
    };
  }

  /**
   * ADDED or MODIFIED.
   *
   * @param received when it was, null where it was not received as a change
   */
  ByteSlices present(EventType type, KubeObject object, @Nullable Instant received) {
    return event(head(type, object, object.resourceVersion()), projection.body(object), received);
  }

  /**
   * MODIFIED of an object whose state before the client has: as a patch, where that was asked for
   * and is worth it.
   */
  EncodedEvent modified(KubeObject old, KubeObject now, Instant received) {
    WatchEvent.Builder event = head(EventType.EVENT_TYPE_MODIFIED, now, now.resourceVersion());
    ByteSlices body = projection.body(now);
    if (projection.changes() == ObjectProjection.ChangeEncoding.FULL) {
      return EncodedEvent.of(event(event, body, received));
    }
    ByteSlices before = projection.body(old);
    int whole = HEAD + Math.max(body.size(), before.size());
    ByteSlices encoded =
        ChangePatch.between(before, body)
            .map(
                patch ->
                    event(
                        event.setPatch(
                            ObjectPatch.newBuilder()
                                .setBaseResourceVersion(old.resourceVersion())
                                .setJsonPatch(UnsafeByteOperations.unsafeWrap(patch))),
                        received))
            .orElseGet(() -> event(event, body, received));
    return new EncodedEvent(encoded, Math.max(encoded.size(), whole));
  }

  /** The last matching state, with the version of the change that ended it. */
  ByteSlices removed(
      KubeObject last, String version, RemovalReason reason, @Nullable Instant received) {
    return event(
        head(EventType.EVENT_TYPE_DELETED, last, version).setRemovalReason(reason),
        projection.body(last, version),
        received);
  }

  private static WatchEvent.Builder head(EventType type, KubeObject object, String version) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(
            ObjectKey.newBuilder()
                .setNamespace(object.namespace())
                .setName(object.name())
                .setUid(object.uid()))
        .setResourceVersion(version);
  }

  private static BodyOmitted omitted(ByteSlices body) {
    return BodyOmitted.newBuilder().setSize(body.size()).build();
  }

  private ByteSlices event(WatchEvent.Builder event, ByteSlices body, @Nullable Instant received) {
    if (received != null) {
      event.setReceiveTime(ProtoTime.of(received));
    }
    if (!projection.hasBody()) {
      return encode(event, ByteSlices.EMPTY);
    }
    return switch (bodies) {
      case SENT -> encode(event, body);
      case OMITTED -> encode(event.setOmitted(omitted(body)), ByteSlices.EMPTY);
    };
  }

  private static ByteSlices event(WatchEvent.Builder event, Instant received) {
    return encode(event.setReceiveTime(ProtoTime.of(received)), ByteSlices.EMPTY);
  }

  /** The body comes last, whatever its field's number: any order decodes to the same. */
  private static ByteSlices encode(WatchEvent.Builder event, ByteSlices body) {
    WatchEvent head = event.build();
    int headSize = head.getSerializedSize();
    int bodyHead = body.isEmpty() ? 0 : 1 + CodedOutputStream.computeUInt32SizeNoTag(body.size());
    int size = headSize + bodyHead + body.size();
    byte[] before =
        new byte[1 + CodedOutputStream.computeUInt32SizeNoTag(size) + headSize + bodyHead];
    CodedOutputStream out = CodedOutputStream.newInstance(before);
    try {
      out.writeUInt32NoTag(EVENTS_TAG);
      out.writeUInt32NoTag(size);
      head.writeTo(out);
      if (bodyHead > 0) {
        out.writeUInt32NoTag(OBJECT_TAG);
        out.writeUInt32NoTag(body.size());
      }
    } catch (IOException e) {
      throw new IllegalStateException("an array that is too short for what was measured", e);
    }
    return new ByteSlices.Builder(1 + body.count()).add(before).add(body).build();
  }
}
