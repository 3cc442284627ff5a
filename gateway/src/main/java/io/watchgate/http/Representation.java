package io.watchgate.http;

import io.watchgate.http.AcceptHeader.Clause;

/**
 * How a client wants objects: JSON always, of the objects themselves or made of them.
 *
 * @param version of the group {@code meta.k8s.io}, where they are made of them: {@code v1} or
 *     {@code v1beta1}
 */
record Representation(Kind kind, String version) {
  static final Representation OBJECTS = new Representation(Kind.OBJECTS, "v1");

  private static final String PARAMETERS = "only the following media types are accepted: ";
  private static final String OFFERED = "application/json";

  /** What {@code as=} asks for. */
  enum Kind {
    OBJECTS,
    TABLE,
    PARTIAL_OBJECT_METADATA,
    PARTIAL_OBJECT_METADATA_LIST
  }

  String apiVersion() {
    return "meta.k8s.io/" + version;
  }

  /**
   * The first that can be served. A client that takes other media types as well gets JSON.
   *
   * @throws StatusException 406 if none can
   */
  static Representation of(AcceptHeader accept) throws StatusException {
    boolean json = false;
    for (Clause clause : accept.clauses()) {
      if (!clause.takesJson() || clause.quality() == 0) {
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
            return new Representation(Kind.TABLE, version);
          }
          case "PartialObjectMetadata" -> {
            return new Representation(Kind.PARTIAL_OBJECT_METADATA, version);
          }
          case "PartialObjectMetadataList" -> {
            return new Representation(Kind.PARTIAL_OBJECT_METADATA_LIST, version);
          }
          default -> {}
        }
      }
    }
    throw Refusals.notAcceptable(
        json
            ? PARAMETERS + OFFERED
            : "406: Not Acceptable\n\nAvailable representations: " + OFFERED);
  }
}
