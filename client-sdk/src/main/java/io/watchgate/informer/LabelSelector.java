package io.watchgate.informer;

import java.util.List;
import java.util.Map;

/**
 * A label selector of Kubernetes, for what is held already. Immutable.
 *
 * <p>It selects what a gateway selects with it ({@link InformerBuilder#withLabels}). How long it is
 * and how much it asks for is bounded there, not here.
 *
 * <pre>{@code
 * LabelSelector canaries = LabelSelector.parse("app in (web,api),track=canary");
 * List<Stored<ByteString>> found = pods.snapshot().list(canaries, Labels::ofJson);
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
   * Reads a selector: {@code a=b}, {@code a==b}, {@code a!=b}, {@code a in (b,c)}, {@code a notin
   * (b,c)}, {@code a}, {@code !a}, {@code a>1}, {@code a<1}, of which those that a comma joins must
   * all hold. What has no such label fulfils {@code a!=b}, {@code a notin (b)} and {@code !a}. The
   * empty text selects everything.
   *
   * @throws IllegalArgumentException if it is none; its message names the column, from 1
   */
  public static LabelSelector parse(String text) {
    return new LabelSelector(text, new LabelParser(text).parse());
  }

  /** Whether an object with these labels, and no others, is selected. */
  public boolean matches(Map<String, String> labels) {
    for (LabelRequirement requirement : requirements) {
      if (!requirement.holds(labels.get(requirement.key()))) {
        return false;
      }
    }
    return true;
  }

  /** The text that was read. */
  @Override
  public String toString() {
    return text;
  }
}
