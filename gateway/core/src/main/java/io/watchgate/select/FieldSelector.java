package io.watchgate.select;

import io.watchgate.json.KubeObject;
import io.watchgate.labels.GoStrings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Kubernetes field selector for one type: requirements that must all match. Immutable; equal if
 * {@link #canonical} is equal, because each requirement has one spelling.
 */
public final class FieldSelector {
  private static final String FIELD = "selection.field_selector";
  private static final FieldSelector EVERYTHING =
      new FieldSelector(List.of(), new CompiledFieldRequirement[0]);

  private final List<FieldRequirement> requirements;
  private final CompiledFieldRequirement[] compiled;

  /** Compiles the requirements for objects that are read with the paths of these fields. */
  private FieldSelector(List<FieldRequirement> requirements, SelectableFields fields) {
    this(
        requirements,
        requirements.stream().map(fields::condition).toArray(CompiledFieldRequirement[]::new));
  }

  private FieldSelector(List<FieldRequirement> requirements, CompiledFieldRequirement[] compiled) {
    this.requirements = requirements;
    this.compiled = compiled;
  }

  /**
   * Parses the complete grammar of Kubernetes: {@code spec.nodeName=node-7,status.phase!=Running},
   * with white space as part of names and values. The empty text selects everything.
   *
   * @throws SelectionException SELECTOR_INVALID or FIELD_NOT_SELECTABLE, with the apiserver's own
   *     text and the column; TOO_COMPLEX above the {@link SelectionLimits}
   */
  public static FieldSelector parse(String text, SelectableFields fields)
      throws SelectionException {
    SelectorText source = SelectorText.of(FIELD, text);
    List<FieldRequirement> parsed = new FieldSelectorParser(source, fields).parse();
    if (parsed.isEmpty()) {
      return EVERYTHING;
    }
    List<FieldRequirement> sorted =
        List.copyOf(
            parsed.stream()
                .distinct()
                .sorted(Comparator.comparing(FieldRequirement::toString, GoStrings.ORDER))
                .toList());
    return new FieldSelector(sorted, fields);
  }

  /** Returns the same selector for objects that were read with other paths. */
  FieldSelector readWith(SelectableFields fields) {
    return new FieldSelector(requirements, fields);
  }

  /** Returns the requirements, sorted by their text, and distinct. */
  public List<FieldRequirement> requirements() {
    return requirements;
  }

  /** Returns the requirements with {@code =}, by which the selection can be indexed. */
  List<IndexKey.Field> indexKeys() {
    List<IndexKey.Field> keys = new ArrayList<>();
    for (int i = 0; i < compiled.length; i++) {
      FieldRequirement requirement = requirements.get(i);
      if (requirement.operator() == FieldRequirement.Operator.EQUAL) {
        keys.add(new IndexKey.Field(compiled[i].source(), List.of(requirement.value())));
      }
    }
    return keys;
  }

  /**
   * Returns whether all requirements match.
   *
   * @param view object read with the paths of the {@link SelectableFields} that this selector was
   *     parsed for
   */
  public boolean matches(KubeObject view) {
    for (CompiledFieldRequirement condition : compiled) {
      if (!condition.matches(view)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the requirements that do not match. */
  List<FieldRequirement> unmetBy(KubeObject view) {
    List<FieldRequirement> unmet = new ArrayList<>();
    for (int i = 0; i < compiled.length; i++) {
      if (!compiled[i].matches(view)) {
        unmet.add(requirements.get(i));
      }
    }
    return unmet;
  }

  /**
   * Returns the canonical text, a field selector that selects the same: requirements with {@code =}
   * or {@code !=}, aliases resolved, joined by commas, distinct, in the order of their bytes.
   */
  public String canonical() {
    return requirements.stream().map(FieldRequirement::toString).collect(Collectors.joining(","));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FieldSelector that && requirements.equals(that.requirements);
  }

  @Override
  public int hashCode() {
    return requirements.hashCode();
  }

  @Override
  public String toString() {
    return canonical();
  }
}
