package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** JSON patch (RFC 6902): a sequence of operations, of which all or none are applied. */
record JsonPatch(List<JsonPatchOperation> operations) implements Patch {
  /** The apiserver's limit (1.36, maxJSONPatchOperations). */
  private static final int MAX_OPERATIONS = 10_000;

  /**
   * The apiserver's limit for copied bytes, the size of a body. Without it, copies of copies would
   * fill the memory.
   */
  private static final long MAX_COPIED = 3 << 20;

  JsonPatch {
    operations = List.copyOf(operations);
  }

  static JsonPatch parse(JsonElement body) throws PatchException {
    if (!(body instanceof JsonArray array)) {
      throw PatchException.malformed(
          "a JSON patch must be an array of operations, not " + StrictJson.kind(body));
    }
    if (array.size() > MAX_OPERATIONS) {
      throw new PatchException(
          PatchException.Kind.TOO_LARGE,
          "a JSON patch may have %,d operations, not %,d".formatted(MAX_OPERATIONS, array.size()));
    }
    List<JsonPatchOperation> operations = new ArrayList<>(array.size());
    for (JsonElement element : array) {
      operations.add(JsonPatchOperation.parse(operations.size(), element));
    }
    return new JsonPatch(operations);
  }

  @Override
  public JsonObject apply(JsonObject object) throws PatchException {
    JsonElement document = object.deepCopy();
    long copied = 0;
    for (JsonPatchOperation operation : operations) {
      copied += operation.copiedSize(document);
      if (copied > MAX_COPIED) {
        throw PatchException.notApplicable(
            "operation %d (copy %s): all copies together would exceed %,d bytes"
                .formatted(operation.number(), operation.path().text(), MAX_COPIED));
      }
      document = operation.apply(document);
    }
    if (document instanceof JsonObject patched) {
      return patched;
    }
    throw PatchException.notApplicable(
        "the JSON patch makes the object " + StrictJson.kind(document));
  }
}
