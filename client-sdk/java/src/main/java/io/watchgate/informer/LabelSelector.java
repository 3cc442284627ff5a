package io.watchgate.informer;

import io.watchgate.labels.LabelRequirement;
import io.watchgate.labels.LabelSelectorException;
import io.watchgate.labels.LabelSelectorParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kubernetes label selector for objects in the local store. Immutable.
 *
 * <p>It selects the same objects as a gateway does ({@link InformerBuilder#withLabels}). Only the
 * gateway limits its length and number of requirements.
 *
 * <pre>{@code
 * LabelSelector canaries = LabelSelector.parse("app in (web,api),track=canary");
 * List<StoredObject<ByteString>> found = pods.snapshot().list(canaries, Labels::ofJson);
 * }</pre>
 */
public final class LabelSelector {
  private final String text;
  private final List<LabelRequirement> requirements;

  private LabelSelector(String text, List<LabelRequirement> requirements) {
    this.text = text;
    this.requirements = requirements;
  }

  /**
   * Parses a selector: {@code a=b}, {@code a==b}, {@code a!=b}, {@code a in (b,c)}, {@code a notin
   * (b,c)}, {@code a}, {@code !a}, {@code a>1}, {@code a<1}. Requirements joined by commas must all
   * be fulfilled. An object without the label fulfils {@code a!=b}, {@code a notin (b)} and {@code
   * !a}. The empty text selects everything.
   *
   * @throws IllegalArgumentException if the text is invalid; the message names the column, from 1
   */
  public static LabelSelector parse(String text) {
    LabelSelectorParser parser = new LabelSelectorParser(text);
    List<LabelRequirement> requirements = new ArrayList<>();
    try {
      for (var one = parser.next(); one != null; one = parser.next()) {
        requirements.add(one);
      }
    } catch (LabelSelectorException e) {
      throw new IllegalArgumentException(
          "label selector, column %d: %s; it is: %s"
              .formatted(text.codePointCount(0, e.index()) + 1, e.getMessage(), text));
    }
    return new LabelSelector(text, List.copyOf(requirements));
  }

  /** Returns whether an object with exactly these labels is selected. */
  public boolean matches(Map<String, String> labels) {
    for (LabelRequirement requirement : requirements) {
      if (!requirement.matches(labels.get(requirement.key()))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the parsed text. */
  @Override
  public String toString() {
    return text;
  }
}
