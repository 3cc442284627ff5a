package io.watchgate.check;

/**
 * An event as a subscriber got it.
 *
 * @param removal why, for DELETED
 */
public record RecordedEvent(
    RecordedKind kind,
    RecordedKey key,
    String uid,
    CheckedVersion version,
    Body body,
    Removal removal) {
  /** Why an object is no longer there. */
  public enum Removal {
    NONE,
    OBJECT_DELETED,
    NO_LONGER_MATCHES,
    INFERRED
  }

  /** What it carried, once a patch was applied. */
  public sealed interface Body {
    /** Too large for who asked; or a shape without one. */
    enum Absent implements Body {
      NO_BODY,
      OMITTED
    }

    /**
     * An object.
     *
     * @param version which it says of itself; NONE where the shape has none
     * @param digest of all else
     */
    record Content(CheckedVersion version, String digest) implements Body {}

    /** What cannot be read, or a patch for a state that the subscriber does not hold. */
    record Broken(String why) implements Body {}
  }

  @Override
  public String toString() {
    return "%s %s uid %s at %s%s"
        .formatted(kind, key, uid, version, removal == Removal.NONE ? "" : " (" + removal + ")");
  }
}
