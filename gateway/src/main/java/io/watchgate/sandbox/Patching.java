package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest;
import java.util.Map;

/** A patch that was sent, for objects in the version that the request speaks. */
record Patching(Target target, JsonObject patch) {

  /** Reads a patch. */
  static Patching of(Target target, WriteRequest request) throws StatusException {
    if (!request.contentType().equals("application/merge-patch+json")) {
      throw Refusals.mediaType("application/merge-patch+json");
    }
    if (!(Bodies.json(request.body(), target.type().kind()) instanceof JsonObject patch)) {
      throw Refusals.badRequest("a merge patch is a JSON object");
    }
    return new Patching(target, patch);
  }

  /** What a stored object becomes. */
  JsonObject stored(JsonObject now) throws StatusException {
    StoredVersion version = target.version();
    JsonObject patched = plain(version.shown(now));
    Incoming.requireKind(patched, version.type());
    return version.shape().toStored().apply(patched);
  }

  /** What any object becomes. */
  JsonObject plain(JsonObject now) {
    return merged(now, patch);
  }

  private static JsonObject merged(JsonObject object, JsonObject patch) {
    JsonObject result = object.deepCopy();
    for (Map.Entry<String, JsonElement> change : patch.entrySet()) {
      if (change.getValue().isJsonNull()) {
        result.remove(change.getKey());
      } else if (change.getValue() instanceof JsonObject inner) {
        JsonObject old =
            result.get(change.getKey()) instanceof JsonObject found ? found : new JsonObject();
        result.add(change.getKey(), merged(old, inner));
      } else {
        result.add(change.getKey(), change.getValue());
      }
    }
    return result;
  }
}
