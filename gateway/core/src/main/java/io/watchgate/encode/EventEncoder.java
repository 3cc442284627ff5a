package io.watchgate.encode;

import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of events in one projection. An encoded event is a part of a response, so events are
 * joined to a response without parsing them again. Immutable, thread-safe; equal encoders encode
 * equally.
 */
public interface EventEncoder {
  /**
   * Returns an ADDED or MODIFIED event.
   *
   * @param received time at which the change was received; null if it was not received as a change
   */
  ByteSlices present(EventType type, KubeObject object, @Nullable Instant received);

  /** Returns a MODIFIED event for clients that have the state before. */
  EncodedEvent modified(KubeObject old, KubeObject now, Instant received);

  /**
   * Returns a DELETED event: the last matching state, with the version of the change that ended it.
   */
  ByteSlices removed(
      KubeObject last, String version, RemovalReason reason, @Nullable Instant received);

  /** Returns an encoder for clients with a limit below the size of a body. */
  EventEncoder omittingBodies();

  /** Returns an encoder without patches. */
  EventEncoder withFullChanges();

  /**
   * Encoded event, as a part of a response.
   *
   * @param requiredReceiveLimit smallest {@code max_response_bytes} with which a client can hold
   *     this object before and after the event, without patches; clients with a smaller limit are
   *     not sent this encoding
   */
  record EncodedEvent(ByteSlices event, int requiredReceiveLimit) {

    /** Returns an event that requires only its own size. */
    public static EncodedEvent of(ByteSlices event) {
      return new EncodedEvent(event, event.size());
    }
  }
}
