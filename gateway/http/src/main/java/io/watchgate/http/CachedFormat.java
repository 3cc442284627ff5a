package io.watchgate.http;

import io.watchgate.http.AcceptHeader.Clause;
import io.watchgate.http.ResponseFormat.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Format of an answer from the cache. Only formats that consist of an object's own bytes are made
 * here. Requests for tables are relayed, because the apiserver chooses their columns.
 *
 * @param dropsManagedFields whether objects have no managedFields
 */
record CachedFormat(ResponseFormat wanted, boolean dropsManagedFields) {
  /** Parameters that change the content of an answer. */
  private static final Set<String> PARAMETERS = Set.of("as", "g", "v", "drop");

  private static final String MANAGED_FIELDS = "metadata.managedFields";

  /**
   * Returns the format of the first JSON clause; empty if the cache has no such format, or if the
   * apiserver would prefer the format of an earlier clause.
   */
  static Optional<CachedFormat> of(AcceptHeader accept) {
    List<Clause> clauses =
        accept.clauses().stream().filter(clause -> clause.quality() != 0).toList();
    Optional<Clause> json = clauses.stream().filter(Clause::acceptsJson).findFirst();
    return json.filter(
            clause ->
                clauses.stream()
                    .takeWhile(before -> !before.acceptsJson())
                    .allMatch(before -> canBePassedOver(before, clause)))
        .filter(clause -> PARAMETERS.containsAll(clause.parameters().keySet()))
        .filter(
            clause ->
                clause.parameter("drop").isEmpty()
                    || clause.parameter("drop").equals(MANAGED_FIELDS))
        .flatMap(CachedFormat::of);
  }

  /**
   * Returns whether the client gets the same content in JSON. Clients of Go prefer protobuf for the
   * types that they know, and take JSON. An apiserver ignores media types that it does not have.
   */
  private static boolean canBePassedOver(Clause before, Clause json) {
    return switch (before.mediaType()) {
      case "application/yaml" -> false;
      case "application/vnd.kubernetes.protobuf", "application/cbor" ->
          PARAMETERS.stream().allMatch(name -> before.parameter(name).equals(json.parameter(name)));
      default -> true;
    };
  }

  private static Optional<CachedFormat> of(Clause clause) {
    try {
      ResponseFormat wanted =
          ResponseFormat.of(new AcceptHeader(List.of(clause)), QueryParameters.parse(null));
      return wanted.kind() == Kind.TABLE
          ? Optional.empty()
          : Optional.of(new CachedFormat(wanted, !clause.parameter("drop").isEmpty()));
    } catch (StatusException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns whether the response of a request can have the format.
   *
   * @param single whether the request is for one object
   */
  boolean fits(boolean single, boolean watch) {
    return switch (wanted.kind()) {
      case OBJECTS -> true;
      case PARTIAL_OBJECT_METADATA -> single || watch;
      case PARTIAL_OBJECT_METADATA_LIST -> !single && !watch;
      case TABLE -> false;
    };
  }
}
