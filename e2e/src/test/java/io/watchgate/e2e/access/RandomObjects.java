package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import java.util.List;
import java.util.Random;

/** Random writer of config maps and secrets, as admin: creates, changes, relabels, deletes. */
final class RandomObjects {
  private final Cluster admin;
  private final List<String> namespaces;
  private final Random random;

  RandomObjects(Cluster admin, List<String> namespaces, long seed) {
    this.admin = admin;
    this.namespaces = List.copyOf(namespaces);
    this.random = new Random(seed);
  }

  /** Makes one write. An object that exists already, or no longer exists, is no failure. */
  void write(int number) {
    String namespace = namespaces.get(random.nextInt(namespaces.size()));
    Type type = random.nextBoolean() ? Type.CONFIGMAPS : Type.SECRETS;
    String name = "o" + random.nextInt(5);
    String label = List.of("web", "api", "db").get(random.nextInt(3));
    try {
      switch (random.nextInt(5)) {
        case 0, 1 ->
            admin.create(
                type.resource(),
                Json.parse(
                    """
                    {"apiVersion":"v1","kind":"%s","metadata":{"namespace":"%s","name":"%s",
                     "labels":{"app":"%s"},"annotations":{"number":"%d"}}}
                    """
                        .formatted(type.resource().kind(), namespace, name, label, number)));
        case 2 -> admin.delete(type.resource(), namespace, name);
        default ->
            admin.patch(
                type.resource(),
                namespace,
                name,
                "{\"metadata\":{\"labels\":{\"app\":\"%s\"},\"annotations\":{\"number\":\"%d\"}}}"
                    .formatted(label, number));
      }
    } catch (KubeException e) {
      if (e.code() != 404 && e.code() != 409) {
        throw e;
      }
    }
  }
}
