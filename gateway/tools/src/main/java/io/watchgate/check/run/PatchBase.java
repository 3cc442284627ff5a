package io.watchgate.check.run;

import com.google.gson.JsonObject;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedKind;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.sandbox.patch.Patch;
import io.watchgate.sandbox.patch.PatchException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Objects that a subscriber to patches holds, as of its last token and since then. For other
 * subscribers nothing is kept, because their events contain complete objects. Not thread-safe.
 */
final class PatchBase {
  private final SubscriptionSpec spec;
  private final Map<RecordedKey, JsonObject> committed = new HashMap<>();
  private final Map<RecordedKey, Optional<JsonObject>> uncommitted = new HashMap<>();

  PatchBase(SubscriptionSpec spec) {
    this.spec = spec;
  }

  /** Returns the body of an event, and keeps the object. */
  Body apply(RecordedKey key, RecordedKind kind, WatchEvent event) {
    try {
      return switch (event.getBodyCase()) {
        case OBJECT -> keep(key, kind, ObjectStates.parse(event.getObject().toByteArray()));
        case PATCH -> keep(key, kind, patched(key, event.getPatch()));
        case OMITTED -> {
          uncommitted.put(key, Optional.empty());
          yield Body.Absent.OMITTED;
        }
        case BODY_NOT_SET -> Body.Absent.NO_BODY;
      };
    } catch (PatchException | RuntimeException e) {
      return new Body.Broken(String.valueOf(e.getMessage()));
    }
  }

  private JsonObject patched(RecordedKey key, ObjectPatch patch) throws PatchException {
    Optional<JsonObject> base =
        uncommitted.getOrDefault(key, Optional.ofNullable(committed.get(key)));
    if (base.isEmpty()) {
      throw new IllegalStateException("a patch for an object that is not held");
    }
    String version = versionOf(base.get());
    if (!version.equals(patch.getBaseResourceVersion())) {
      throw new IllegalStateException(
          "a patch for version "
              + patch.getBaseResourceVersion()
              + " while "
              + version
              + " is held");
    }
    return Patch.parse(
            "application/json-patch+json", patch.getJsonPatch().toByteArray(), Optional.empty())
        .apply(base.get());
  }

  private Body keep(RecordedKey key, RecordedKind kind, JsonObject object) {
    if (spec.changes() == SubscriptionSpec.Changes.PATCHES) {
      uncommitted.put(key, kind == RecordedKind.DELETED ? Optional.empty() : Optional.of(object));
    }
    return new Body.Content(CheckedVersion.of(versionOf(object)), JsonDigest.of(object));
  }

  private static String versionOf(JsonObject object) {
    return ObjectStates.text(object.getAsJsonObject("metadata"), "resourceVersion");
  }

  /** Starts a snapshot; objects that are not in it are removed. */
  void startSnapshot() {
    uncommitted.clear();
    committed.keySet().forEach(key -> uncommitted.put(key, Optional.empty()));
  }

  /** Commits all events so far, because a token was received. */
  void commit() {
    uncommitted.forEach(
        (key, object) ->
            object.ifPresentOrElse(held -> committed.put(key, held), () -> committed.remove(key)));
    uncommitted.clear();
  }

  /** Discards the events since the last token, because the stream has ended. */
  void rollBack() {
    uncommitted.clear();
  }

  /** Discards all objects, because the next stream begins without a token. */
  void clear() {
    uncommitted.clear();
    committed.clear();
  }
}
