package io.watchgate.http;

import io.watchgate.http.AcceptHeader.Clause;

/**
 * Format of objects that a client requests: always JSON, either the objects themselves or
 * converted.
 *
 * @param version version of the group {@code meta.k8s.io} if they are converted: {@code v1} or
 *     {@code v1beta1}
 * @param include part of the object beside the cells of a table
 */
record ResponseFormat(Kind kind, String version, Include include) {
  static final ResponseFormat OBJECTS = new ResponseFormat(Kind.OBJECTS, "v1", Include.METADATA);

  private static final String PARAMETERS = "only the following media types are accepted: ";
  private static final String OFFERED = "application/json";

  /** Value of {@code as=}. */
  enum Kind {
    OBJECTS,
    TABLE,
    PARTIAL_OBJECT_METADATA,
    PARTIAL_OBJECT_METADATA_LIST
  }

  /** Value of {@code includeObject}. */
  enum Include {
    NONE,
    METADATA,
    OBJECT
  }

  String apiVersion() {
    return "meta.k8s.io/" + version;
  }

  /**
   * Returns the first format that can be served. A client that also accepts other media types gets
   * JSON.
   *
   * @throws StatusException 406 if none can be served, 400 for a table with an unknown
   *     includeObject
   */
  static ResponseFormat of(AcceptHeader accept, QueryParameters query) throws StatusException {
    boolean json = false;
    for (Clause clause : accept.clauses()) {
      if (!clause.acceptsJson() || clause.quality() == 0) {
        continue;
      }
      json = true;
      String as = clause.parameter("as");
      if (as.isEmpty()) {
        return OBJECTS;
      }
      String version = clause.parameter("v");
      if (clause.parameter("g").equals("meta.k8s.io") && version.matches("v1|v1beta1")) {
        switch (as) {
          case "Table" -> {
            return new ResponseFormat(Kind.TABLE, version, include(query));
          }
          case "PartialObjectMetadata" -> {
            return new ResponseFormat(Kind.PARTIAL_OBJECT_METADATA, version, Include.METADATA);
          }
          case "PartialObjectMetadataList" -> {
            return new ResponseFormat(Kind.PARTIAL_OBJECT_METADATA_LIST, version, Include.METADATA);
          }
          default -> {}
        }
      }
    }
    throw StatusErrors.notAcceptable(
        json
            ? PARAMETERS + OFFERED
            : "406: Not Acceptable\n\nAvailable representations: " + OFFERED);
  }

  private static Include include(QueryParameters query) throws StatusException {
    String includeObject = query.text("includeObject");
    return switch (includeObject) {
      case "", "Metadata" -> Include.METADATA;
      case "Object" -> Include.OBJECT;
      case "None" -> Include.NONE;
      default ->
          throw StatusErrors.badRequest(
              "Unable to convert to Table as requested: includeObject: Invalid value: "
                  + HttpJsonText.quoted(includeObject)
                  + ": must be 'Metadata', 'Object', 'None', or empty");
    };
  }
}
