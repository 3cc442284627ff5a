package io.watchgate.fanout;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A compiled selection and a predicate with its meaning. */
record Choice(CompiledSelection selection, Predicate<SampleObject> meaning) {

  /**
   * All; by label; by namespace; by several namespaces, one of them empty; by an absent label; by
   * name.
   */
  static final List<Choice> ALL =
      List.of(
          of(List.of(), "", "", object -> true),
          of(List.of(), "app=a", "", object -> app(object, "a")),
          of(List.of("n2"), "", "", object -> object.namespace().equals("n2")),
          of(
              List.of("n2", "n2-x", "n9"),
              "app in (a,b)",
              "",
              object ->
                  object.namespace().startsWith("n2") && (app(object, "a") || app(object, "b"))),
          of(
              List.of(),
              "!app",
              "metadata.name!=o1",
              object -> object.labels().isEmpty() && !object.name().equals("o1")),
          of(
              List.of("n1", "n3"),
              "",
              "metadata.name=o2",
              object -> !object.namespace().startsWith("n2") && object.name().equals("o2")));

  /** Returns one selection per possible object, as node agents use them. */
  static List<Choice> objects() {
    List<Choice> all = new ArrayList<>();
    for (String namespace : Truth.NAMESPACES) {
      for (int i = 0; i < Truth.NAMES; i++) {
        String name = "o" + i;
        all.add(
            of(
                List.of(namespace),
                "",
                "metadata.name=" + name,
                object -> object.namespace().equals(namespace) && object.name().equals(name)));
      }
    }
    return all;
  }

  private static Choice of(
      List<String> namespaces, String labels, String fields, Predicate<SampleObject> meaning) {
    try {
      return new Choice(
          CompiledSelection.of(
              SelectableFields.of(CacheWriter.DEFINITION), namespaces, labels, fields),
          meaning);
    } catch (SelectionException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean app(SampleObject object, String app) {
    return object.labels().contains("\"app\":\"" + app + "\"");
  }
}
