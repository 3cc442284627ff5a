package io.watchgate.server;

import io.watchgate.kube.AccessRight;
import java.util.List;

/**
 * Rights on one type, or on one group of paths, that a gateway needs for one reason.
 *
 * @param reason purpose, with the option that needs it
 */
public record RequiredRights(String reason, List<AccessRight> rights) {
  public RequiredRights {
    rights = List.copyOf(rights);
  }

  static RequiredRights onType(String reason, String group, String resource, String... verbs) {
    return onObject(reason, group, resource, "", "", verbs);
  }

  static RequiredRights onObject(
      String reason,
      String group,
      String resource,
      String namespace,
      String name,
      String... verbs) {
    return new RequiredRights(
        reason,
        List.of(verbs).stream()
            .<AccessRight>map(
                verb -> new AccessRight.OnResource(group, resource, namespace, name, verb))
            .toList());
  }
}
