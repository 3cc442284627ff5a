package io.watchgate.cli.deploy;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Resource type of an RBAC rule.
 *
 * @param group empty for the core group
 * @param plural {@code pods}
 */
public record RbacResource(String group, String plural) {
  private static final RbacResource SECRETS = new RbacResource("", "secrets");
  private static final Pattern FORM =
      Pattern.compile("([a-z][a-z0-9-]{0,62})(?:\\.([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?))?");

  /** A version in kubectl's syntax, {@code deployments.v1.apps}; RBAC rules have none. */
  private static final Pattern VERSION =
      Pattern.compile("v[0-9]+(?:(?:alpha|beta)[0-9]+)?(?:\\.(.+))?");

  /**
   * Parses {@code pods} or {@code deployments.apps}. The group of a built-in type is optional. No
   * apiserver is asked, so a short name is refused.
   *
   * @throws IllegalArgumentException if the name, or its group, cannot be right; the message says
   *     what to write
   */
  public static RbacResource parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a plural name with its group, such as pods or deployments.apps");
    }
    String plural = form.group(1);
    String group = form.group(2);
    Optional<BuiltInResource> builtIn = BuiltInResource.ofPlural(plural);
    if (group == null) {
      return builtIn.map(BuiltInResource::toRbacResource).orElseThrow(() -> unknown(text, plural));
    }
    Matcher version = VERSION.matcher(group);
    if (version.matches()) {
      String rest = version.group(1);
      throw new IllegalArgumentException(
          "'"
              + text
              + "' names a version, which rights do not have; write "
              + new RbacResource(rest == null ? "" : rest, plural));
    }
    RbacResource type = new RbacResource(group, plural);
    boolean isElsewhere = builtIn.isPresent() || !BuiltInResource.similar(plural).isEmpty();
    if (BuiltInResource.isGroup(group) && !type.isBuiltIn() && isElsewhere) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a type of the group " + group + "; near: " + nearNames(plural));
    }
    return type;
  }

  private static IllegalArgumentException unknown(String text, String name) {
    String near = nearNames(name);
    return new IllegalArgumentException(
        "'"
            + text
            + "' is not a built-in type"
            + (near.isEmpty() ? "" : "; near: " + near)
            + "; a custom resource is written with its group: "
            + name
            + ".example.com");
  }

  private static String nearNames(String name) {
    return BuiltInResource.similar(name).stream()
        .map(resource -> resource.toRbacResource().toString())
        .collect(Collectors.joining(", "));
  }

  /** Returns whether the type is that of Secrets. */
  public boolean isSecrets() {
    return equals(SECRETS);
  }

  /** Returns a warning to a person about serving the type; empty if there is none. */
  public Optional<String> warning() {
    if (isSecrets()) {
      return Optional.of(
          "each replica holds all Secrets of the cluster in its memory and reads them with the"
              + " rights of its own account; leave it out unless they have to be watched");
    }
    if (BuiltInResource.isGroup(group) && !isBuiltIn()) {
      return Optional.of(
          "Kubernetes 1.36 has no such type in the group "
              + group
              + "; without it in the cluster the rule grants nothing");
    }
    return Optional.empty();
  }

  private boolean isBuiltIn() {
    return BuiltInResource.ALL.stream()
        .anyMatch(resource -> resource.toRbacResource().equals(this));
  }

  /** Returns the syntax of {@code --type}. */
  @Override
  public String toString() {
    return group.isEmpty() ? plural : plural + "." + group;
  }
}
