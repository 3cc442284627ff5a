package io.watchgate.auth;

import io.watchgate.cache.ApiResource;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.FieldRequirement;
import io.watchgate.select.LabelRequirement;
import java.util.ArrayList;
import java.util.List;

/** What the apiserver is asked about; one question each. Immutable. */
public sealed interface AccessAttributes {

  /** What is meant to be done. */
  enum Verb {
    LIST("list"),
    WATCH("watch");

    private final String text;

    Verb(String text) {
      this.text = text;
    }

    /** As Kubernetes writes it. */
    public String text() {
      return text;
    }
  }

  /** For a person: {@code list pods in the namespace "a"}. */
  String text();

  /**
   * Objects of a type.
   *
   * @param namespace empty for the whole cluster
   * @param name the only one that is asked for; empty for all
   * @param fields what is asked for is no more than this; selectors only ever narrow
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

  /** A page of the gateway itself, by {@code get}. */
  record NonResourceAccess(String path) implements AccessAttributes {
    @Override
    public String text() {
      return "get " + path;
    }
  }

  /** To list all objects of a type. */
  static AccessAttributes listOf(ApiResource type) {
    return new ResourceAccess(type, Verb.LIST, "", "", List.of(), List.of());
  }

  /** What has to be allowed, all of it, for a selection. */
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
   * What the apiserver itself takes for the name of a list or watch: the value of {@code
   * metadata.name=}. Two that differ select nothing, and give no name: who may see all may see
   * that.
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

  /** As apimachinery's {@code IsValidPathSegmentName} has it. */
  private static boolean isPathSegment(String name) {
    return !name.isEmpty()
        && !name.equals(".")
        && !name.equals("..")
        && !name.contains("/")
        && !name.contains("%");
  }
}
