package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import java.util.List;

/**
 * A type as discovery tells it.
 *
 * @param definition the type, with the verbs that are served
 * @param categories groups of types that kubectl knows by one name: {@code all}
 * @param subresources what stands below an object: {@code status}, {@code binding}
 */
public record ServedResource(
    TypeDefinition definition, List<String> categories, List<Subresource> subresources) {

  public ServedResource {
    categories = List.copyOf(categories);
    subresources = List.copyOf(subresources);
  }

  /**
   * A path below an object.
   *
   * @param kind of what is sent there, {@code Binding}; often the object's own
   * @param group of that kind; empty for the core group
   * @param version of that kind
   */
  public record Subresource(
      String name, String group, String version, String kind, List<String> verbs) {
    public Subresource {
      verbs = List.copyOf(verbs);
    }
  }
}
