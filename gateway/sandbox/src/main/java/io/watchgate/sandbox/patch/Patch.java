package io.watchgate.sandbox.patch;

import com.google.gson.JsonObject;
import io.watchgate.sandbox.schema.Schema;
import java.util.Optional;

/** A change of an object, as sent by a client. Immutable. */
public sealed interface Patch permits JsonPatch, MergePatch, StrategicMergePatch {

  /**
   * Parses a patch.
   *
   * @param mediaType media type without parameters, in lower case
   * @param body JSON in UTF-8
   * @param schema schema of the patched type; empty for custom resources, which accept no strategic
   *     merge patch
   * @throws PatchException MALFORMED, TOO_LARGE or UNSUPPORTED
   */
  static Patch parse(String mediaType, byte[] body, Optional<Schema> schema) throws PatchException {
    return switch (mediaType) {
      case "application/json-patch+json" -> JsonPatch.parse(StrictJson.parse(body));
      case "application/merge-patch+json" -> new MergePatch(StrictJson.parseObject(body));
      case "application/strategic-merge-patch+json" ->
          new StrategicMergePatch(
              StrictJson.parseObject(body),
              schema.orElseThrow(
                  () ->
                      unsupported(
                          "a custom resource has no schema that a strategic merge patch could"
                              + " follow; send application/merge-patch+json"
                              + " (kubectl patch --type=merge)")));
      case "application/apply-patch+yaml", "application/apply-patch+cbor" ->
          throw unsupported(
              "server-side apply is not served here; use kubectl apply without --server-side, or"
                  + " send application/merge-patch+json");
      default ->
          throw unsupported(
              "a patch's Content-Type must be application/json-patch+json,"
                  + " application/merge-patch+json or application/strategic-merge-patch+json, not "
                  + (mediaType.isEmpty() ? "empty" : mediaType));
    };
  }

  /**
   * Returns the changed object, which shares nothing with {@code object} or the patch. The result
   * may have nulls and unknown fields, as the apiserver's own patched objects do before they are
   * decoded.
   *
   * @throws PatchException NOT_APPLICABLE, or MALFORMED if the patch is found invalid only with the
   *     object
   */
  JsonObject apply(JsonObject object) throws PatchException;

  private static PatchException unsupported(String message) {
    return new PatchException(PatchException.Kind.UNSUPPORTED, message);
  }
}
