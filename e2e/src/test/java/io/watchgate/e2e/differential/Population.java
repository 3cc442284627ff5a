package io.watchgate.e2e.differential;

import io.watchgate.e2e.kube.Resource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Keys of one type: existing objects and objects that may be created. */
final class Population {
  private static final int NAMES = 40;

  final Resource type;
  final List<ObjectName> existing = new ArrayList<>();
  final List<ObjectName> absent = new ArrayList<>();

  /** Pods without a node. */
  final Set<ObjectName> unbound = new HashSet<>();

  record ObjectName(String namespace, String name) {}

  Population(Resource type, List<String> namespaces) {
    this.type = type;
    for (String namespace : namespaces) {
      for (int i = 0; i < NAMES; i++) {
        absent.add(new ObjectName(namespace, "n-" + i));
      }
    }
  }
}
