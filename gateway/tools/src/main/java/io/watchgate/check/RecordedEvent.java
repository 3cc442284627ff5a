package io.watchgate.check;

/**
 * An event as a subscriber received it.
 *
 * @param removal reason of a DELETED event
 */
public record RecordedEvent(
    RecordedKind kind,
    RecordedKey key,
    String uid,
    CheckedVersion version,
    Body body,
    Removal removal) {
  /** Reason of a DELETED event. */
  public enum Removal {
    NONE,
    OBJECT_DELETED,
    NO_LONGER_MATCHES,
    INFERRED
  }

  /** Body of an event, after its patch was applied. */
  public sealed interface Body {
    /** No body: too large for the subscriber, or not part of the projection. */
    enum Absent implements Body {
      NO_BODY,
      OMITTED
    }

    /**
     * An object.
     *
     * @param version resourceVersion in the object; NONE if the projection has none
     * @param digest digest of the object without its version
     */
    record Content(CheckedVersion version, String digest) implements Body {}

    /** A body that cannot be parsed, or a patch for a state that the subscriber does not hold. */
    record Broken(String reason) implements Body {}
  }

  @Override
  public String toString() {
    return "%s %s uid %s at %s%s"
        .formatted(kind, key, uid, version, removal == Removal.NONE ? "" : " (" + removal + ")");
  }
}
