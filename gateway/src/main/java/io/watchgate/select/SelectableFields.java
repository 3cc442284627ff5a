package io.watchgate.select;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the objects of one type can be selected by in a field selector, and where in them it stands.
 * Immutable.
 */
public final class SelectableFields {
  private final ApiResource type;
  private final Map<String, FieldAccessor> sources;
  private final Map<String, String> aliases;
  private final FieldPaths paths;
  private final List<String> names;
  private final UnaryOperator<String> refusal;

  private SelectableFields(ApiResource type, SelectableFieldsBuilder table) {
    this.type = type;
    this.sources = table.sources();
    this.aliases = table.aliases();
    this.paths = table.paths();
    this.names = List.copyOf(sources.keySet());
    this.refusal = table.refusal();
  }

  /** As the apiserver has them for this type in this version. */
  public static SelectableFields of(TypeDefinition definition) {
    return new SelectableFields(
        definition.type(),
        definition.custom() ? custom(definition) : BuiltInSelectableFields.of(definition.type()));
  }

  private static SelectableFieldsBuilder custom(TypeDefinition definition) {
    SelectableFieldsBuilder table = new SelectableFieldsBuilder();
    if (definition.type().namespaced()) {
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
   * What objects must be read with to be selected from; the same for equal definitions. Reading
   * with other paths and then asking for a value gives wrong values.
   */
  public FieldPaths paths() {
    return paths;
  }

  /** The fields to select by, sorted, without aliases. */
  public List<String> names() {
    return names;
  }

  /**
   * What a selector compares with: the text of strings, numbers and booleans, a default where the
   * object has none.
   *
   * @param view read with {@link #paths}
   * @param field one of {@link #names}
   */
  public String value(KubeObject view, String field) {
    FieldAccessor source = sources.get(field);
    if (source == null) {
      throw new IllegalArgumentException(field + " is no selectable field of " + type);
    }
    return source.value(view);
  }

  /** The name for a label of a selector, null if it is neither a name nor an alias. */
  @Nullable String resolve(String label) {
    String name = aliases.getOrDefault(label, label);
    return sources.containsKey(name) ? name : null;
  }

  /** The apiserver's words for a label that it does not accept. */
  String refusal(String label) {
    return refusal.apply(label);
  }

  CompiledFieldRequirement condition(FieldRequirement requirement) {
    FieldAccessor source = sources.get(requirement.field());
    if (source == null) {
      throw new IllegalArgumentException(
          requirement.field() + " is no selectable field of " + type);
    }
    return new CompiledFieldRequirement(requirement, source);
  }
}
