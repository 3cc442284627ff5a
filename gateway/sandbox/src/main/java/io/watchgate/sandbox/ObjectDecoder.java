package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.sandbox.schema.DecodedObject;
import io.watchgate.sandbox.schema.Schema;
import io.watchgate.sandbox.schema.SchemaException;
import java.util.List;
import java.util.Optional;

/** Decoder of an object in a request: checks its kind, its shape and its namespace. */
final class ObjectDecoder {
  private ObjectDecoder() {}

  /**
   * Returns the object as an apiserver reads it, without fields that its type does not have.
   *
   * @throws StatusException if the object has another type or another shape, or if it has unknown
   *     fields and the validation is strict
   */
  static JsonObject read(
      JsonObject sent, WriteTarget target, WriteOptions.FieldValidation validation)
      throws StatusException {
    ApiResource type = target.type();
    if (target.strategy().has(Trait.CUSTOM)) {
      requireIdentity(sent, type.kind());
    }
    JsonObject read = read(sent, type.kind(), type.apiVersion(), validation);
    String malformed = target.strategy().shapeError(read);
    if (malformed != null) {
      throw cannotHandle(type.kind(), type.kind(), type.apiVersion(), malformed);
    }
    requireNamespace(read, target.namespace());
    return read;
  }

  static JsonObject read(
      JsonObject sent, String kind, String apiVersion, WriteOptions.FieldValidation validation)
      throws StatusException {
    requireKind(sent, kind, apiVersion);
    Optional<Schema> schema = Schema.of(apiVersion, kind);
    if (schema.isEmpty()) { // a custom resource: only the metadata is checked
      String malformed = Metadata.shapeError(sent);
      if (malformed != null) {
        throw cannotHandle(kind, kind, apiVersion, malformed);
      }
      return sent;
    }
    try {
      DecodedObject decoded = schema.get().decode(sent);
      if (validation == WriteOptions.FieldValidation.STRICT && !decoded.unknownFields().isEmpty()) {
        throw cannotHandle(kind, kind, apiVersion, Schema.strictError(decoded.unknownFields()));
      }
      return decoded.object();
    } catch (SchemaException e) {
      throw cannotHandle(kind, kind, apiVersion, String.valueOf(e.getMessage()));
    }
  }

  private static void requireIdentity(JsonObject sent, String kind) throws StatusException {
    for (String name : List.of("kind", "apiVersion")) {
      if (JsonTree.text(sent, name).isEmpty()) {
        throw StatusErrors.badRequest(
            "the object provided is unrecognized (must be of type %s): %s is missing"
                .formatted(kind, name));
      }
    }
  }

  private static void requireKind(JsonObject sent, String kind, String apiVersion)
      throws StatusException {
    String sentVersion = JsonTree.text(sent, "apiVersion");
    String sentKind = JsonTree.text(sent, "kind");
    if (!sentVersion.isEmpty() && !sentVersion.equals(apiVersion)) {
      throw StatusErrors.badRequest(
          "the API version in the data (%s) does not match the expected API version (%s)"
              .formatted(sentVersion, apiVersion));
    }
    if (!sentKind.isEmpty() && !sentKind.equals(kind)) {
      throw cannotHandle(sentKind, kind, apiVersion, "the kind in the data is another");
    }
  }

  private static StatusException cannotHandle(
      String sent, String kind, String apiVersion, String reason) {
    return StatusErrors.badRequest(
        "%s in version \"%s\" cannot be handled as a %s: %s"
            .formatted(sent, apiVersion.substring(apiVersion.indexOf('/') + 1), kind, reason));
  }

  /** Throws if the object's namespace differs from the namespace of the path. */
  static void requireNamespace(JsonObject sent, String namespace) throws StatusException {
    String own = JsonTree.text(sent, "metadata", Metadata.NAMESPACE);
    if (!namespace.isEmpty() && !own.isEmpty() && !own.equals(namespace)) {
      throw StatusErrors.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
  }

  /** Throws if the object's name differs from the name of the path. */
  static void requireName(JsonObject sent, String name) throws StatusException {
    String own = JsonTree.text(sent, "metadata", Metadata.NAME);
    if (own.isEmpty()) {
      throw StatusErrors.badRequest(
          "the name of the object (%s based on URL) was undeterminable: name must be provided"
              .formatted(name));
    }
    if (!own.equals(name)) {
      throw StatusErrors.badRequest(
          "the name of the object (%s) does not match the name on the URL (%s)"
              .formatted(own, name));
    }
  }
}
