package io.watchgate.encode;

import io.watchgate.json.KubeObject;
import io.watchgate.json.PointerMask;
import java.nio.charset.StandardCharsets;

/**
 * Builder of a body from slices of an object, without its managedFields or with another version if
 * that is requested. The caller must not pass a slice that cuts through either of them. Single use.
 */
final class BodyBuilder implements PointerMask.Sink {
  private final KubeObject object;
  private final ByteSlices.Builder pieces = new ByteSlices.Builder(6);
  private Replacement version = Replacement.NONE;
  private Replacement managedFields = Replacement.NONE;

  BodyBuilder(KubeObject object) {
    this.object = object;
  }

  /** Range {@code [from, to)} of the object that is replaced. */
  private record Replacement(int from, int to, ByteSlices by) {
    /** Range before all bytes: replaces nothing. */
    static final Replacement NONE = new Replacement(-1, -1, ByteSlices.EMPTY);
  }

  BodyBuilder withVersion(String text) {
    version =
        new Replacement(
            object.versionFrom(),
            object.versionTo(),
            ByteSlices.of(text.getBytes(StandardCharsets.US_ASCII)));
    return this;
  }

  BodyBuilder withoutManagedFields() {
    if (object.managedFieldsFrom() != object.managedFieldsTo()) {
      managedFields =
          new Replacement(object.managedFieldsFrom(), object.managedFieldsTo(), ByteSlices.EMPTY);
    }
    return this;
  }

  @Override
  public void insertion(byte[] bytes, int from, int to) {
    pieces.add(bytes, from, to);
  }

  @Override
  public void piece(int from, int to) {
    boolean versionFirst = version.from < managedFields.from;
    int at = without(versionFirst ? version : managedFields, from, to);
    at = without(versionFirst ? managedFields : version, at, to);
    pieces.add(object.bytes(), at, to);
  }

  /**
   * Adds the bytes before the range and its replacement. Returns the offset at which to continue.
   */
  private int without(Replacement replacement, int from, int to) {
    if (replacement.from < from || replacement.to > to) {
      return from;
    }
    pieces.add(object.bytes(), from, replacement.from).add(replacement.by);
    return replacement.to;
  }

  ByteSlices build() {
    return pieces.build();
  }
}
