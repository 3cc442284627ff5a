package io.watchgate.cli.deploy;

import java.util.regex.Pattern;

/**
 * A resource type as a rule of RBAC names it.
 *
 * @param group empty for the core group
 * @param plural {@code pods}
 */
public record ServedType(String group, String plural) {
  private static final Pattern FORM =
      Pattern.compile("([a-z][a-z0-9-]{0,62})(?:\\.([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?))?");

  /**
   * Reads {@code pods} or {@code deployments.apps}. Nobody is asked what short names mean.
   *
   * @throws IllegalArgumentException if it is neither; its message says what is expected
   */
  public static ServedType parse(String text) {
    var form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no plural name with its group, such as pods or deployments.apps");
    }
    String group = form.group(2);
    return new ServedType(group == null ? "" : group, form.group(1));
  }

  /** As {@code --type} takes it. */
  @Override
  public String toString() {
    return group.isEmpty() ? plural : plural + "." + group;
  }
}
