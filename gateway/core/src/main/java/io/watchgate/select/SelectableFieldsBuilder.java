package io.watchgate.select;

import io.watchgate.json.FieldPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Builder of the selectable fields of one type. Not thread-safe. */
final class SelectableFieldsBuilder {
  private final Map<String, FieldAccessor> sources = new TreeMap<>();
  private final Map<String, String> aliases = new HashMap<>();
  private final List<String> paths = new ArrayList<>();
  private UnaryOperator<String> unknownFieldError = label -> "field label not supported: " + label;

  SelectableFieldsBuilder name() {
    sources.put("metadata.name", FieldAccessor.Name.NAME);
    return this;
  }

  SelectableFieldsBuilder nameAndNamespace() {
    sources.put("metadata.namespace", FieldAccessor.Namespace.NAMESPACE);
    return name();
  }

  /** Adds labels that are paths into the object; an absent field reads as the empty text. */
  SelectableFieldsBuilder paths(String... labels) {
    for (String label : labels) {
      path(label, label, "");
    }
    return this;
  }

  SelectableFieldsBuilder path(String label, String path, String otherwise) {
    sources.put(label, leaf(path, otherwise));
    return this;
  }

  SelectableFieldsBuilder firstOf(String label, String path, String second) {
    sources.put(label, new FieldAccessor.FirstOf(leaf(path, ""), leaf(second, "")));
    return this;
  }

  SelectableFieldsBuilder alwaysEmpty(String label) {
    sources.put(label, FieldAccessor.Nothing.NOTHING);
    return this;
  }

  SelectableFieldsBuilder alias(String label, String same) {
    aliases.put(label, same);
    return this;
  }

  /** Sets the apiserver's error text for unknown labels. */
  SelectableFieldsBuilder unknownFieldError(UnaryOperator<String> text) {
    unknownFieldError = text;
    return this;
  }

  private FieldAccessor.Leaf leaf(String path, String otherwise) {
    int number = paths.indexOf(path);
    if (number < 0) {
      number = paths.size();
      paths.add(path);
    }
    return new FieldAccessor.Leaf(number, otherwise);
  }

  Map<String, FieldAccessor> sources() {
    return sources;
  }

  Map<String, String> aliases() {
    return Map.copyOf(aliases);
  }

  FieldPaths paths() {
    return FieldPaths.of(paths);
  }

  UnaryOperator<String> unknownFieldError() {
    return unknownFieldError;
  }
}
