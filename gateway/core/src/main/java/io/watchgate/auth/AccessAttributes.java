package io.watchgate.auth;

import io.watchgate.cache.ApiResource;
import io.watchgate.labels.LabelRequirement;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.FieldRequirement;
import java.util.ArrayList;
import java.util.List;

/** Attributes of one access review: one question to the apiserver. Immutable. */
public sealed interface AccessAttributes {

  /** Verb of a request. */
  enum Verb {
    GET("get"),
    LIST("list"),
    WATCH("watch");

    private final String text;

    Verb(String text) {
      this.text = text;
    }

    /** Returns the verb as Kubernetes writes it. */
    public String text() {
      return text;
    }
  }

  Verb verb();

  /** Returns a description for a person: {@code list pods in the namespace "a"}. */
  String text();

  /**
   * Access to the objects of a type.
   *
   * @param namespace empty for all namespaces of the cluster
   * @param name name of the only requested object; empty for all objects
   * @param fields field requirements of the request; like the label requirements, they only ever
   *     narrow it
   */
  record ResourceAccess(
      ApiResource type,
      Verb verb,
      String namespace,
      String name,
      List<FieldRequirement> fields,
      List<LabelRequirement> labels)
      implements AccessAttributes {
    @Override
    public String text() {
      return verb.text()
          + " "
          + type.groupResource()
          + (namespace.isEmpty()
              ? " in the whole cluster"
              : " in the namespace \"" + namespace + "\"")
          + (name.isEmpty() ? "" : ", by the name \"" + name + "\"");
    }
  }

  /** Access to a page of the gateway itself, with the verb {@code get}. */
  record NonResourceAccess(String path) implements AccessAttributes {
    @Override
    public Verb verb() {
      return Verb.GET;
    }

    @Override
    public String text() {
      return verb().text() + " " + path;
    }
  }

  /** Returns the verbs of the accesses as Kubernetes writes them, each once. */
  static List<String> verbs(List<AccessAttributes> accesses) {
    return accesses.stream().map(access -> access.verb().text()).distinct().toList();
  }

  /** Returns the attributes of a list of all objects of a type. */
  static AccessAttributes listOf(ApiResource type) {
    return new ResourceAccess(type, Verb.LIST, "", "", List.of(), List.of());
  }

  /**
   * Returns the attributes of a get of one object.
   *
   * @param namespace empty for a cluster-scoped type
   */
  static AccessAttributes getOf(ApiResource type, String namespace, String name) {
    // An apiserver reads /api/v1/namespaces/shop as a request in the namespace "shop".
    boolean isNamespace = type.groupResource().equals("namespaces");
    return new ResourceAccess(
        type, Verb.GET, isNamespace ? name : namespace, name, List.of(), List.of());
  }

  /** Returns all accesses that must be allowed for a selection. */
  static List<AccessAttributes> of(CompiledSelection selection, List<Verb> verbs) {
    List<String> namespaces =
        selection.namespaces().isEmpty() ? List.of("") : selection.namespaces();
    String name = name(selection);
    List<AccessAttributes> all = new ArrayList<>();
    for (String namespace : namespaces) {
      for (Verb verb : verbs) {
        all.add(
            new ResourceAccess(
                selection.type(),
                verb,
                namespace,
                name,
                selection.fields().requirements(),
                selection.labels().requirements()));
      }
    }
    return all;
  }

  /**
   * Returns the name that the apiserver itself derives for a list or watch: the value of {@code
   * metadata.name=}. Two different values select nothing and give no name; a caller that may see
   * all objects may see this empty result.
   */
  private static String name(CompiledSelection selection) {
    List<String> names =
        selection.fields().requirements().stream()
            .filter(field -> field.field().equals("metadata.name"))
            .filter(field -> field.operator() == FieldRequirement.Operator.EQUAL)
            .map(FieldRequirement::value)
            .distinct()
            .toList();
    return names.size() == 1 && isPathSegment(names.getFirst()) ? names.getFirst() : "";
  }

  /** Returns what apimachinery's {@code IsValidPathSegmentName} accepts. */
  private static boolean isPathSegment(String name) {
    return !name.isEmpty()
        && !name.equals(".")
        && !name.equals("..")
        && !name.contains("/")
        && !name.contains("%");
  }
}
