package io.watchgate.fanout;

import io.watchgate.json.JsonDiff;
import java.util.Optional;

/**
 * What takes the place of the body of a MODIFIED under {@link
 * ObjectProjection.ChangeEncoding#PATCH}. It is for whoever holds the body before: never after one
 * that was omitted, and never across a gap.
 */
public final class ChangePatch {
  /** What an ObjectPatch has beside the patch: tags, lengths, a version of at most 40 digits. */
  private static final int MESSAGE = 48;

  private ChangePatch() {}

  /**
   * The JSON patch (RFC 6902) that turns one body into the other as JSON values; empty where it
   * would not be smaller than half of the new body, everything around it counted, or where there is
   * none ({@link JsonDiff}). To be made once for each event and projection.
   *
   * @param before the object as projected, before the change
   * @param after the same after it
   */
  public static Optional<byte[]> between(ByteSlices before, ByteSlices after) {
    return JsonDiff.between(before.toByteArray(), after.toByteArray())
        .filter(patch -> 2 * (patch.length + MESSAGE) < after.size());
  }
}
