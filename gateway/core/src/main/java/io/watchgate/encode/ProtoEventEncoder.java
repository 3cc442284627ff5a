package io.watchgate.encode;

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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of {@link WatchEvent}s. An encoded event is a part of a {@link ListAndWatchResponse},
 * with tag and length: one array with everything but the body, then the body in slices of the
 * cache's bytes.
 */
public final class ProtoEventEncoder implements EventEncoder {
  /**
   * Tags of {@code events} in a response and of {@code object} in an event; both length-delimited.
   */
  private static final int EVENTS_TAG = tag(ListAndWatchResponse.EVENTS_FIELD_NUMBER);

  private static final int OBJECT_TAG = tag(WatchEvent.OBJECT_FIELD_NUMBER);

  /** Maximum bytes of an event beside its body: names of 253 bytes, uid, version, time. */
  private static final int HEAD = 1_024;

  private final ObjectProjection projection;
  private final Bodies bodies;

  private enum Bodies {
    SENT,
    OMITTED
  }

  public ProtoEventEncoder(ObjectProjection projection) {
    this(projection, Bodies.SENT);
  }

  private ProtoEventEncoder(ObjectProjection projection, Bodies bodies) {
    this.projection = projection;
    this.bodies = bodies;
  }

  /** Events carry the sizes of the bodies instead. */
  @Override
  public ProtoEventEncoder omittingBodies() {
    return new ProtoEventEncoder(projection, Bodies.OMITTED);
  }

  @Override
  public ProtoEventEncoder withFullChanges() {
    return new ProtoEventEncoder(projection.withFullChanges(), bodies);
  }

  private static int tag(int field) {
    return field << 3 | 2;
  }

  /** Returns an object of a list, as a message. */
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

  @Override
  public ByteSlices present(EventType type, KubeObject object, @Nullable Instant received) {
    return event(head(type, object, object.resourceVersion()), projection.body(object), received);
  }

  /** The event carries a patch if patches were requested and the patch is small enough. */
  @Override
  public EncodedEvent modified(KubeObject old, KubeObject now, Instant received) {
    WatchEvent.Builder event = head(EventType.EVENT_TYPE_MODIFIED, now, now.resourceVersion());
    ByteSlices body = projection.body(now);
    if (projection.changeEncoding() == ObjectProjection.ChangeEncoding.FULL) {
      return EncodedEvent.of(event(event, body, received));
    }
    ByteSlices before = projection.body(old);
    int largest = HEAD + Math.max(body.size(), before.size());
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
    return new EncodedEvent(encoded, Math.max(encoded.size(), largest));
  }

  @Override
  public ByteSlices removed(
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

  /**
   * The body is written last, regardless of its field number: any order decodes to the same
   * message.
   */
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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ProtoEventEncoder that
        && bodies == that.bodies
        && projection.equals(that.projection);
  }

  @Override
  public int hashCode() {
    return Objects.hash(projection, bodies);
  }
}
