package io.watchgate.select;

import io.watchgate.json.KubeObject;
import io.watchgate.labels.GoStrings;
import io.watchgate.labels.LabelRequirement;
import io.watchgate.labels.LabelSelectorException;
import io.watchgate.labels.LabelSelectorParser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Kubernetes label selector: requirements that must all match. Immutable; equal if {@link
 * #canonical} is equal, because each requirement has one spelling.
 */
public final class LabelSelector {
  /** Selector of all objects. */
  public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

  private static final String FIELD = "selection.label_selector";

  private final List<LabelRequirement> requirements;
  private final CompiledLabelRequirement[] compiled;

  private LabelSelector(List<LabelRequirement> parsed) {
    this.requirements =
        List.copyOf(
            parsed.stream()
                .distinct()
                .sorted(Comparator.comparing(LabelRequirement::toString, GoStrings.ORDER))
                .toList());
    this.compiled =
        requirements.stream()
            .map(CompiledLabelRequirement::new)
            .toArray(CompiledLabelRequirement[]::new);
  }

  /**
   * Parses the complete grammar of Kubernetes: {@code app in (web,api),!canary}. The empty text
   * selects everything.
   *
   * @throws SelectionException SELECTOR_INVALID, with the apiserver's own text and the column;
   *     TOO_COMPLEX above the {@link SelectionLimits}
   */
  public static LabelSelector parse(String text) throws SelectionException {
    SelectorText source = SelectorText.of(FIELD, text);
    int nul = text.indexOf('\0');
    if (nul >= 0) {
      throw source.invalid(nul, "the character U+0000 cannot be part of a selector; remove it");
    }
    List<LabelRequirement> parsed = parse(source);
    return parsed.isEmpty() ? EVERYTHING : new LabelSelector(parsed);
  }

  private static List<LabelRequirement> parse(SelectorText source) throws SelectionException {
    LabelSelectorParser parser = new LabelSelectorParser(source.text());
    List<LabelRequirement> parsed = new ArrayList<>();
    int values = 0;
    try {
      for (var one = parser.next(); one != null; one = parser.next()) {
        parsed.add(one);
        values += one.values().size();
        int at = parser.index();
        source.limit(at, "requirements", parsed.size(), SelectionLimits.MAX_REQUIREMENTS);
        source.limit(at, "values", values, SelectionLimits.MAX_VALUES);
      }
    } catch (LabelSelectorException e) {
      throw source.invalid(e.apiserverIndex(), e.apiserverMessage());
    }
    return parsed;
  }

  /** Returns the requirements, sorted by their text, and distinct. */
  public List<LabelRequirement> requirements() {
    return requirements;
  }

  /** Returns whether all requirements match. */
  public boolean matches(KubeObject view) {
    for (CompiledLabelRequirement condition : compiled) {
      if (!condition.matches(view)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the requirements that do not match. */
  List<LabelRequirement> unmetBy(KubeObject view) {
    List<LabelRequirement> unmet = new ArrayList<>();
    for (int i = 0; i < compiled.length; i++) {
      if (!compiled[i].matches(view)) {
        unmet.add(requirements.get(i));
      }
    }
    return unmet;
  }

  /**
   * Returns the canonical text, a label selector that selects the same: requirements joined by
   * commas, distinct, in the order of their bytes, without white space except around {@code in} and
   * {@code notin}; {@code =} and {@code !=} for one value, otherwise {@code in} and {@code notin}
   * with values sorted and distinct; bounds without leading zeros.
   */
  public String canonical() {
    return requirements.stream().map(LabelRequirement::toString).collect(Collectors.joining(","));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LabelSelector that && requirements.equals(that.requirements);
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
