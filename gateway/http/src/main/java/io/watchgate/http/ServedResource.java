package io.watchgate.http;

import io.watchgate.cache.CustomColumn;
import io.watchgate.cache.TypeDefinition;
import java.util.List;

/**
 * Type as discovery describes it.
 *
 * @param definition the type, with the verbs that are served
 * @param categories groups of types that kubectl knows by one name: {@code all}
 * @param subresources paths below an object: {@code status}, {@code binding}
 * @param columns columns of tables of a custom resource, besides the name; empty: name and age
 */
public record ServedResource(
    TypeDefinition definition,
    List<String> categories,
    List<Subresource> subresources,
    List<CustomColumn> columns) {

  public ServedResource {
    categories = List.copyOf(categories);
    subresources = List.copyOf(subresources);
    columns = List.copyOf(columns);
  }

  /** Creates a type without columns of its own. */
  public ServedResource(
      TypeDefinition definition, List<String> categories, List<Subresource> subresources) {
    this(definition, categories, subresources, List.of());
  }

  /**
   * Path below an object.
   *
   * @param kind kind of the object that is sent to the path, {@code Binding}; often the object's
   *     own
   * @param group group of that kind; empty for the core group
   * @param version version of that kind
   */
  public record Subresource(
      String name, String group, String version, String kind, List<String> verbs) {
    public Subresource {
      verbs = List.copyOf(verbs);
    }
  }
}
