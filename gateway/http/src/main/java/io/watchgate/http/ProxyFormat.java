package io.watchgate.http;

import io.watchgate.http.AcceptHeader.Clause;
import io.watchgate.http.ResponseFormat.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Format of the answers of a proxy. Only formats that consist of an object's own bytes are made
 * here; the columns of tables are the apiserver's to choose.
 *
 * @param dropsManagedFields whether objects have no managedFields
 */
record ProxyFormat(ResponseFormat wanted, boolean dropsManagedFields) {
  private static final Set<String> PARAMETERS = Set.of("as", "g", "v", "drop");
  private static final String MANAGED_FIELDS = "metadata.managedFields";

  /** Returns the format of the first JSON clause; empty if it is not made here. */
  static Optional<ProxyFormat> of(AcceptHeader accept) {
    return accept.clauses().stream()
        .filter(clause -> clause.acceptsJson() && clause.quality() != 0)
        .findFirst()
        .filter(clause -> PARAMETERS.containsAll(clause.parameters().keySet()))
        .filter(
            clause ->
                clause.parameter("drop").isEmpty()
                    || clause.parameter("drop").equals(MANAGED_FIELDS))
        .flatMap(ProxyFormat::of);
  }

  private static Optional<ProxyFormat> of(Clause clause) {
    try {
      ResponseFormat wanted =
          ResponseFormat.of(new AcceptHeader(List.of(clause)), QueryParameters.parse(null));
      return wanted.kind() == Kind.TABLE
          ? Optional.empty()
          : Optional.of(new ProxyFormat(wanted, !clause.parameter("drop").isEmpty()));
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
