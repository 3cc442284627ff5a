package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ResourceType;
import io.watchgate.http.StatusException;

/** Takes in an object that was sent: is it of the right kind and shape, and for this path? */
final class Incoming {
  private Incoming() {}

  /** Refuses an object that is not of this type. */
  static void requireKind(JsonObject sent, ResourceType type) throws StatusException {
    requireKind(sent, type.kind(), type.apiVersion());
  }

  static void requireKind(JsonObject sent, String kind, String apiVersion) throws StatusException {
    String sentVersion = Tree.text(sent, "apiVersion");
    String sentKind = Tree.text(sent, "kind");
    if (!sentVersion.isEmpty() && !sentVersion.equals(apiVersion)) {
      throw Refusals.badRequest(
          "the API version in the data (%s) does not match the expected API version (%s)"
              .formatted(sentVersion, apiVersion));
    }
    if (!sentKind.isEmpty() && !sentKind.equals(kind)) {
      throw cannotHandle(sentKind, kind, apiVersion, "the kind in the data is another");
    }
    String malformed = Metadata.malformed(sent);
    if (malformed != null) {
      throw cannotHandle(kind, kind, apiVersion, malformed);
    }
  }

  static StatusException cannotHandle(String sent, String kind, String apiVersion, String why) {
    return Refusals.badRequest(
        "%s in version \"%s\" cannot be handled as a %s: %s"
            .formatted(sent, apiVersion.substring(apiVersion.indexOf('/') + 1), kind, why));
  }

  /** Refuses an object whose namespace is not that of the path. */
  static void requireNamespace(JsonObject sent, String namespace) throws StatusException {
    String own = Tree.text(sent, "metadata", Metadata.NAMESPACE);
    if (!namespace.isEmpty() && !own.isEmpty() && !own.equals(namespace)) {
      throw Refusals.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
  }

  /** Refuses an object whose name is not that of the path. */
  static void requireName(JsonObject sent, String name) throws StatusException {
    String own = Tree.text(sent, "metadata", Metadata.NAME);
    if (own.isEmpty()) {
      throw Refusals.badRequest(
          "the name of the object (%s based on URL) was undeterminable: name must be provided"
              .formatted(name));
    }
    if (!own.equals(name)) {
      throw Refusals.badRequest(
          "the name of the object (%s) does not match the name on the URL (%s)"
              .formatted(own, name));
    }
  }
}
