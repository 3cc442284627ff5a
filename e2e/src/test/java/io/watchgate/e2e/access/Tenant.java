package io.watchgate.e2e.access;

import io.watchgate.e2e.faults.Requests;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Somebody who shares a gateway with others and may see a part of what there is.
 *
 * @param seen namespaces of which he may see all config maps and secrets; none: of all of them
 * @param only in this namespace, which is none of the former, he may see objects of one name;
 *     empty: there is none
 */
record Tenant(Person person, List<String> seen, String only) {
  /** Of the one object in {@link #only}. */
  static final String NAME = "o1";

  /** One that he may ask for: a type, namespaces, selectors. */
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

  /** One of all those that he may ask for. */
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
   * One of those that he may not; only of who does not see everything.
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
      // This narrows what is sent, but nobody's rights are about it.
      case 1 -> new Wanted(type(random), List.of(), "", "metadata.namespace=" + seen.getFirst());
      case 2 -> new Wanted(type(random), List.of(seen.getFirst(), foreign), "app=web", "");
      default -> new Wanted(type(random), List.of(foreign), "", "metadata.name!=" + NAME);
    };
  }

  private static Type type(Random random) {
    return random.nextBoolean() ? Type.CONFIGMAPS : Type.SECRETS;
  }
}
