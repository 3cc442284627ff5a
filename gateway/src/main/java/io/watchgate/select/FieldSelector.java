package io.watchgate.select;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Kubernetes field selector for one type: requirements that all must hold. Immutable; equal if
 * {@link #canonical} is, as each requirement is spelled in one way.
 */
public final class FieldSelector {
  private static final String FIELD = "selection.field_selector";
  private static final FieldSelector EVERYTHING =
      new FieldSelector(List.of(), new CompiledFieldRequirement[0]);

  private final List<FieldRequirement> requirements;
  private final CompiledFieldRequirement[] conditions;

  private FieldSelector(
      List<FieldRequirement> requirements, CompiledFieldRequirement[] conditions) {
    this.requirements = requirements;
    this.conditions = conditions;
  }

  /**
   * Parses the whole grammar of Kubernetes: {@code spec.nodeName=node-7,status.phase!=Running},
   * with white space as part of names and values. The empty text selects everything.
   *
   * @throws SelectionException SELECTOR_INVALID or FIELD_NOT_SELECTABLE, with the apiserver's own
   *     text and the column; TOO_COMPLEX beyond the limits of {@link CompiledSelection}
   */
  public static FieldSelector parse(String text, SelectableFields fields)
      throws SelectionException {
    SelectorErrors source = SelectorErrors.of(FIELD, text);
    List<FieldRequirement> parsed = new FieldParser(source, fields).parse();
    if (parsed.isEmpty()) {
      return EVERYTHING;
    }
    List<FieldRequirement> sorted =
        List.copyOf(
            parsed.stream()
                .distinct()
                .sorted(Comparator.comparing(FieldRequirement::toString, SelectorErrors.ORDER))
                .toList());
    return new FieldSelector(
        sorted, sorted.stream().map(fields::condition).toArray(CompiledFieldRequirement[]::new));
  }

  /** Sorted by their text, and distinct. */
  public List<FieldRequirement> requirements() {
    return requirements;
  }

  /** Those with {@code =}. */
  List<IndexKey.Field> anchors() {
    List<IndexKey.Field> anchors = new ArrayList<>();
    for (int i = 0; i < conditions.length; i++) {
      FieldRequirement requirement = requirements.get(i);
      if (requirement.operator() == FieldRequirement.Operator.EQUAL) {
        anchors.add(new IndexKey.Field(conditions[i].source(), List.of(requirement.value())));
      }
    }
    return anchors;
  }

  /**
   * Whether all requirements hold.
   *
   * @param view read with the paths of the {@link SelectableFields} that this was parsed for
   */
  public boolean matches(KubeObject view) {
    for (CompiledFieldRequirement condition : conditions) {
      if (!condition.matches(view)) {
        return false;
      }
    }
    return true;
  }

  /**
   * A field selector that selects the same: requirements with {@code =} or {@code !=}, aliases
   * resolved, joined by commas, distinct, in the order of their bytes.
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
