package io.watchgate.sandbox;

import io.watchgate.cache.ApiResource;
import io.watchgate.http.StatusException;
import io.watchgate.http.StatusException.Cause;
import io.watchgate.http.StatusException.Details;
import java.util.List;

/** Error responses of a kube-apiserver, in its words. */
final class WriteErrors {
  private WriteErrors() {}

  static StatusException alreadyExists(ApiResource type, String name) {
    return about(
        409, "AlreadyExists", quoted(type, name) + " already exists", type, name, List.of());
  }

  /** Returns the error for an object that is deleted, but still waits for its finalizers. */
  static StatusException stillExists(ApiResource type, String name) {
    return about(
        409,
        "AlreadyExists",
        "object is being deleted: " + quoted(type, name) + " already exists",
        type,
        name,
        List.of());
  }

  static StatusException conflict(ApiResource type, String name, String detail) {
    return about(
        409,
        "Conflict",
        "Operation cannot be fulfilled on " + quoted(type, name) + ": " + detail,
        type,
        name,
        List.of());
  }

  /** Returns the conflict of a subresource such as {@code pods/binding}. */
  static StatusException conflict(String resource, String name, String detail) {
    return new StatusException(
        409,
        "Conflict",
        "Operation cannot be fulfilled on %s \"%s\": %s".formatted(resource, name, detail),
        new Details(name, "", resource, List.of(), 0));
  }

  /**
   * Returns the conflict of a DELETE, for which the apiserver names the kind and not the resource.
   */
  static StatusException preconditionFailed(
      ApiResource type, String name, String detail, String wanted, String held) {
    String kind = type.kind() + (type.group().isEmpty() ? "" : "." + type.group());
    return new StatusException(
        409,
        "Conflict",
        "Operation cannot be fulfilled on %s \"%s\": %s"
            .formatted(kind, name, detail.formatted(wanted, held)),
        new Details(name, type.group(), type.kind(), List.of(), 0));
  }

  static StatusException forbidden(ApiResource type, String name, String detail, Cause... causes) {
    return about(
        403,
        "Forbidden",
        quoted(type, name) + " is forbidden: " + detail,
        type,
        name,
        List.of(causes));
  }

  static StatusException mediaType(String accepted) {
    return new StatusException(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
            + accepted,
        Details.NONE);
  }

  static StatusException insufficientStorage(long maxBytes) {
    return new StatusException(
        507,
        "InsufficientStorage",
        "the sandbox is full: it keeps at most "
            + maxBytes
            + " bytes of objects; delete some, or start it with a larger heap",
        Details.NONE);
  }

  /**
   * Returns an error without a reason, which the apiserver sends with only the text of Go's error.
   */
  static StatusException internalError(String message) {
    return new StatusException(500, "", message, Details.NONE);
  }

  private static String quoted(ApiResource type, String name) {
    return type.groupResource() + " \"" + name + "\"";
  }

  private static StatusException about(
      int code, String reason, String message, ApiResource type, String name, List<Cause> causes) {
    return new StatusException(
        code, reason, message, new Details(name, type.group(), type.resource(), causes, 0));
  }
}
