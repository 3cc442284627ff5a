package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.StatusException.Details;
import io.watchgate.http.WriteRequest;
import io.watchgate.sandbox.patch.Patch;
import io.watchgate.sandbox.patch.PatchException;
import io.watchgate.sandbox.schema.Schema;
import java.util.Optional;

/** A patch that was sent, for objects in the version that the request speaks. */
record PatchRequest(WriteTarget target, Patch patch, WriteOptions.FieldValidation validation) {

  /**
   * Reads a patch.
   *
   * @param apiVersion of what is patched: the target, or a part of it
   * @param kind likewise
   */
  static PatchRequest of(WriteTarget target, WriteRequest request, String apiVersion, String kind)
      throws StatusException {
    Optional<Schema> schema = Schema.of(apiVersion, kind);
    try {
      return new PatchRequest(
          target,
          Patch.parse(request.contentType(), request.body(), schema),
          WriteOptions.fieldValidation(request));
    } catch (PatchException e) {
      throw refused(e);
    }
  }

  static PatchRequest of(WriteTarget target, WriteRequest request) throws StatusException {
    return of(target, request, target.type().apiVersion(), target.type().kind());
  }

  /** What a stored object becomes. */
  JsonObject stored(JsonObject now) throws StatusException {
    StoredVersion version = target.version();
    JsonObject patched = plain(version.shown(now));
    ObjectDecoder.requireName(patched, target.name());
    ObjectDecoder.requireNamespace(patched, target.namespace());
    return version.shape().toStored().apply(read(patched));
  }

  /** Of an object that was sent whole this would be a bad request; a patch does not apply. */
  private JsonObject read(JsonObject patched) throws StatusException {
    try {
      return ObjectDecoder.read(patched, target, validation);
    } catch (StatusException e) {
      throw new StatusException(422, "Invalid", String.valueOf(e.getMessage()), e.details());
    }
  }

  /** What any object becomes. */
  JsonObject plain(JsonObject now) throws StatusException {
    try {
      return patch.apply(now);
    } catch (PatchException e) {
      throw refused(e);
    }
  }

  private static StatusException refused(PatchException e) {
    return new StatusException(
        e.kind().code(), e.kind().reason(), String.valueOf(e.getMessage()), Details.NONE);
  }
}
