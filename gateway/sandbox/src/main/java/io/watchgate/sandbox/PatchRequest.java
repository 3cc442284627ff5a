package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.StatusException.Details;
import io.watchgate.http.WriteRequest;
import io.watchgate.sandbox.patch.Patch;
import io.watchgate.sandbox.patch.PatchException;
import io.watchgate.sandbox.schema.Schema;
import java.util.Optional;

/** A patch from a request, in the version of the request. */
record PatchRequest(WriteTarget target, Patch patch, WriteOptions.FieldValidation validation) {

  /**
   * Parses the patch of a request.
   *
   * @param apiVersion apiVersion of the patched object, which is the target or a subresource
   * @param kind kind of the patched object
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

  /** Applies the patch to a stored object. */
  JsonObject stored(JsonObject now) throws StatusException {
    StoredVersion version = target.version();
    JsonObject patched = plain(version.fromStored(now));
    ObjectDecoder.requireName(patched, target.name());
    ObjectDecoder.requireNamespace(patched, target.namespace());
    return version.converter().toStored().apply(read(patched));
  }

  private JsonObject read(JsonObject patched) throws StatusException {
    try {
      return ObjectDecoder.read(patched, target, validation);
    } catch (StatusException e) {
      throw invalid(e);
    }
  }

  /** Applies the patch to a scale of the target. */
  JsonObject scale(JsonObject now) throws StatusException {
    JsonObject patched = plain(now);
    ObjectDecoder.requireName(patched, target.name());
    try {
      ScaleSubresource.requireReplicas(patched);
      return ObjectDecoder.read(
          patched, ScaleSubresource.KIND, ScaleSubresource.API_VERSION, validation);
    } catch (StatusException e) {
      throw invalid(e);
    }
  }

  /** A patched object that cannot be decoded is a 422, one that was sent in full a 400. */
  private static StatusException invalid(StatusException undecodable) {
    return new StatusException(
        422, "Invalid", String.valueOf(undecodable.getMessage()), undecodable.details());
  }

  /** Applies the patch to any object. */
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
