package io.watchgate.encode;

import io.watchgate.json.JsonDiff;
import java.util.Optional;

/**
 * JSON patch that replaces the body of a MODIFIED under {@link
 * ObjectProjection.ChangeEncoding#PATCH}. It is only for clients that have the body before: never
 * after an omitted body, and never across a gap.
 */
public final class ChangePatch {
  /** Bytes of an ObjectPatch beside the patch: tags, lengths, a version of at most 40 digits. */
  private static final int MESSAGE = 48;

  private ChangePatch() {}

  /**
   * Returns the JSON patch (RFC 6902) that turns one body into the other as JSON values. Empty if
   * the patch with its overhead would not be smaller than half of the new body, or if there is no
   * patch ({@link JsonDiff}). Call it once for each event and projection.
   *
   * @param before the object as projected, before the change
   * @param after the object as projected, after the change
   */
  public static Optional<byte[]> between(ByteSlices before, ByteSlices after) {
    return JsonDiff.between(before.toByteArray(), after.toByteArray())
        .filter(patch -> 2 * (patch.length + MESSAGE) < after.size());
  }
}
