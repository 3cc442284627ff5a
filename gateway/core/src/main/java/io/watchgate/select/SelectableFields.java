package io.watchgate.select;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Selectable fields of one type for field selectors, with accessors of their values. Immutable. */
public final class SelectableFields {
  private final ApiResource type;
  private final Map<String, FieldAccessor> sources;
  private final Map<String, String> aliases;
  private final FieldPaths paths;
  private final List<String> names;
  private final UnaryOperator<String> unknownFieldError;

  private SelectableFields(ApiResource type, SelectableFieldsBuilder table) {
    this.type = type;
    this.sources = table.sources();
    this.aliases = table.aliases();
    this.paths = table.paths();
    this.names = List.copyOf(sources.keySet());
    this.unknownFieldError = table.unknownFieldError();
  }

  /** Returns the selectable fields of this type in this version, as the apiserver defines them. */
  public static SelectableFields of(TypeDefinition definition) {
    return new SelectableFields(
        definition.type(),
        definition.isCustom() ? custom(definition) : BuiltInSelectableFields.of(definition.type()));
  }

  private static SelectableFieldsBuilder custom(TypeDefinition definition) {
    SelectableFieldsBuilder table = new SelectableFieldsBuilder();
    if (definition.type().isNamespaced()) {
      table.nameAndNamespace();
    } else {
      table.name();
    }
    return table.paths(definition.selectableFields().toArray(String[]::new));
  }

  public ApiResource type() {
    return type;
  }

  /**
   * Returns the paths that objects must be read with to be selectable; equal for equal definitions.
   * An object that was read with other paths gives wrong values.
   */
  public FieldPaths paths() {
    return paths;
  }

  /** Returns the names of the fields, sorted, without aliases. */
  public List<String> names() {
    return names;
  }

  /**
   * Returns the value that a selector compares with: the text of strings, numbers and booleans, a
   * default if the object has none.
   *
   * @param view object read with {@link #paths}
   * @param field one of {@link #names}
   */
  public String value(KubeObject view, String field) {
    FieldAccessor source = sources.get(field);
    if (source == null) {
      throw new IllegalArgumentException(field + " is not a selectable field of " + type);
    }
    return source.value(view);
  }

  /**
   * Returns the field name for a label of a selector, null if it is neither a name nor an alias.
   */
  @Nullable String resolve(String label) {
    String name = aliases.getOrDefault(label, label);
    return sources.containsKey(name) ? name : null;
  }

  /** Returns the apiserver's error text for a label that it does not accept. */
  String unknownFieldError(String label) {
    return unknownFieldError.apply(label);
  }

  CompiledFieldRequirement condition(FieldRequirement requirement) {
    FieldAccessor source = sources.get(requirement.field());
    if (source == null) {
      throw new IllegalArgumentException(
          requirement.field() + " is not a selectable field of " + type);
    }
    return new CompiledFieldRequirement(requirement, source);
  }
}
