package io.watchgate.e2e.access;

import io.watchgate.e2e.faults.Requests;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * User who shares a gateway with other users and may see a part of the objects.
 *
 * @param seen namespaces in which the tenant may see all config maps and secrets; none: all
 *     namespaces
 * @param only further namespace in which the tenant may see objects of one name; empty: there is
 *     none
 */
record Tenant(ComparedUser user, List<String> seen, String only) {
  /** Name of the one visible object in {@link #only}. */
  static final String NAME = "o1";

  /** Request that a tenant may make: a type, namespaces, selectors. */
  record Wanted(Type type, List<String> namespaces, String labels, String fields) {
    Wanted {
      namespaces = List.copyOf(namespaces);
    }

    ListAndWatchRequest request() {
      ListAndWatchRequest.Builder request =
          Requests.watch(type.resource().plural(), namespaces.toArray(new String[0]));
      request.getSelectionBuilder().setLabelSelector(labels).setFieldSelector(fields);
      return request.build();
    }
  }

  /** Returns a random permitted request. */
  Wanted allowed(Random random) {
    Type type = type(random);
    String labels = List.of("", "app=web", "app!=web", "app in (web,api)").get(random.nextInt(4));
    if (!only.isEmpty() && random.nextInt(3) == 0) {
      return new Wanted(type, List.of(only), labels, "metadata.name=" + NAME);
    }
    String fields = random.nextInt(4) == 0 ? "metadata.name!=" + NAME : "";
    if (seen.isEmpty()) {
      return new Wanted(type, List.of(), labels, fields);
    }
    List<String> some = new ArrayList<>(seen);
    Collections.shuffle(some, random);
    return new Wanted(type, some.subList(0, 1 + random.nextInt(some.size())), labels, fields);
  }

  /**
   * Returns a random forbidden request, for a tenant that does not see everything.
   *
   * @param all the namespaces of all tenants
   */
  Wanted forbidden(Random random, List<String> all) {
    List<String> others = new ArrayList<>(all);
    others.removeAll(seen);
    Collections.shuffle(others, random);
    String foreign = others.getFirst();
    return switch (random.nextInt(4)) {
      case 0 -> new Wanted(type(random), List.of(), "", "");
      // The selector narrows the result, but rights do not depend on it.
      case 1 -> new Wanted(type(random), List.of(), "", "metadata.namespace=" + seen.getFirst());
      case 2 -> new Wanted(type(random), List.of(seen.getFirst(), foreign), "app=web", "");
      default -> new Wanted(type(random), List.of(foreign), "", "metadata.name!=" + NAME);
    };
  }

  private static Type type(Random random) {
    return random.nextBoolean() ? Type.CONFIGMAPS : Type.SECRETS;
  }
}
