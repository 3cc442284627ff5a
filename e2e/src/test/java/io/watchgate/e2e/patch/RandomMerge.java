package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/** Random merge patches of fields that many clients change; some patches are invalid. */
final class RandomMerge {
  private static final List<String> WORDS = List.of("a", "b", "c", "d", "e");

  private final RandomChoice choice;
  private final Dialect dialect;

  /** Form of lists: complete lists, or elements and directives. */
  enum Dialect {
    MERGE,
    STRATEGIC
  }

  RandomMerge(RandomChoice choice, Dialect dialect) {
    this.choice = choice;
    this.dialect = dialect;
  }

  ObjectNode patch(String kind) {
    ObjectNode patch = Json.object();
    if (choice.oneIn(2) || kind.equals("ConfigMap")) {
      metadata(patch.putObject("metadata"));
    }
    switch (kind) {
      case "ConfigMap" -> texts(patch, "data");
      case "Service" -> service(patch.putObject("spec"));
      case "Pod" -> pod(patch.putObject("spec"));
      default -> deployment(patch.putObject("spec"));
    }
    if (choice.oneIn(30)) {
      patch.put("unknown", 1);
    }
    return patch;
  }

  private void metadata(ObjectNode metadata) {
    if (choice.oneIn(2)) {
      texts(metadata, "labels");
    }
    if (choice.oneIn(3)) {
      texts(metadata, "annotations");
    }
    if (choice.oneIn(2)) {
      finalizers(metadata);
    }
    if (choice.oneIn(4)) {
      list(metadata, "ownerReferences", "uid", this::owner);
    }
  }

  private void service(ObjectNode spec) {
    texts(spec, "selector");
    if (choice.oneIn(2)) {
      list(spec, "ports", "port", this::servicePort);
    }
    if (choice.oneIn(3)) {
      spec.put("sessionAffinity", choice.oneIn(2) ? "None" : "ClientIP");
    }
  }

  private void pod(ObjectNode spec) {
    if (choice.oneIn(2)) {
      list(spec, "containers", "name", (container, name) -> container.put("image", image()));
    }
    if (choice.oneIn(3)) {
      tolerations(spec);
    }
  }

  private void deployment(ObjectNode spec) {
    if (choice.oneIn(3)) {
      spec.put("replicas", choice.below(5));
    }
    if (choice.oneIn(4)) {
      strategy(spec.putObject("strategy"));
    }
    ObjectNode pod = spec.putObject("template").putObject("spec");
    if (choice.oneIn(2)) {
      list(pod, "containers", "name", this::container);
    }
    if (choice.oneIn(3)) {
      list(pod, "volumes", "name", this::volume);
    }
    if (choice.oneIn(5)) {
      list(pod, "hostAliases", "ip", (alias, ip) -> strings(alias.putArray("hostnames")));
    }
    if (choice.oneIn(5)) {
      list(pod, "imagePullSecrets", "name", (secret, name) -> {});
    }
    if (choice.oneIn(5)) {
      tolerations(pod);
    }
    if (choice.oneIn(5)) {
      texts(pod, "nodeSelector");
    }
  }

  private void container(ObjectNode container, String name) {
    container.put("image", image());
    if (choice.oneIn(2)) {
      container.put("imagePullPolicy", "IfNotPresent").put("terminationMessagePolicy", "File");
      container.put("terminationMessagePath", "/dev/termination-log").putObject("resources");
    }
    if (choice.oneIn(2)) {
      list(container, "env", "name", (variable, key) -> variable.put("value", choice.of(WORDS)));
    }
    if (choice.oneIn(3)) {
      list(container, "ports", "containerPort", this::containerPort);
    }
    if (choice.oneIn(4)) {
      strings(container.putArray("args"));
    }
    if (choice.oneIn(5)) {
      container.putObject("resources").putObject("limits").put("cpu", choice.below(4) + "00m");
    }
    if (choice.oneIn(6)) {
      container.putNull("args");
    }
  }

  private void containerPort(ObjectNode port, String number) {
    port.put("name", "p" + number);
    if (!choice.oneIn(3)) {
      port.put("protocol", "TCP");
    }
  }

  private void volume(ObjectNode volume, String name) {
    String source = choice.of(List.of("emptyDir", "configMap", "hostPath"));
    ObjectNode of = volume.putObject(source);
    switch (source) {
      case "configMap" -> of.put("name", choice.of(WORDS)).put("defaultMode", 420);
      case "hostPath" -> of.put("path", "/" + choice.of(WORDS)).put("type", "");
      default -> {}
    }
    if (dialect == Dialect.STRATEGIC && !choice.oneIn(4)) {
      ArrayNode retained = volume.putArray("$retainKeys").add("name");
      if (!choice.oneIn(15)) {
        retained.add(source);
      }
    }
  }

  private void strategy(ObjectNode strategy) {
    boolean rolling = choice.oneIn(2);
    strategy.put("type", rolling ? "RollingUpdate" : "Recreate");
    if (rolling) {
      strategy.putObject("rollingUpdate").put("maxSurge", choice.below(3) + 1);
    } else if (dialect == Dialect.STRATEGIC) {
      strategy.putArray("$retainKeys").add("type");
    } else {
      strategy.putNull("rollingUpdate");
    }
  }

  private void servicePort(ObjectNode port, String number) {
    port.put("name", "p" + number);
    if (!choice.oneIn(3)) {
      port.put("targetPort", choice.of(WORDS)).put("protocol", "TCP");
    }
  }

  private void owner(ObjectNode owner, String uid) {
    owner.put("apiVersion", "v1").put("kind", "ConfigMap").put("name", "of-" + uid);
  }

  private void tolerations(ObjectNode pod) {
    ArrayNode tolerations = pod.putArray("tolerations");
    for (String key : choice.some(WORDS)) {
      tolerations.addObject().put("key", key).put("operator", "Exists");
    }
  }

  private void finalizers(ObjectNode metadata) {
    List<String> values = choice.some(WORDS).stream().map(word -> "x.io/" + word).toList();
    if (dialect == Dialect.STRATEGIC && choice.oneIn(2)) {
      values.forEach(metadata.withArray("$deleteFromPrimitiveList/finalizers")::add);
      return;
    }
    values.forEach(metadata.withArray("finalizers")::add);
    if (dialect == Dialect.STRATEGIC && choice.oneIn(3)) {
      List<String> order = choice.oneIn(10) ? choice.shuffled(values) : new ArrayList<>(values);
      order.add(choice.below(order.size() + 1), "x.io/" + choice.of(WORDS));
      order.stream().distinct().forEach(metadata.withArray("$setElementOrder/finalizers")::add);
    }
    if (choice.oneIn(30)) {
      metadata.withArray("finalizers").addObject();
    }
  }

  /** Adds a list of objects with a key: a complete list, or elements and directives. */
  private void list(
      ObjectNode holder, String name, String key, BiConsumer<ObjectNode, String> content) {
    List<String> keys = choice.some(pool(key));
    ArrayNode list = holder.putArray(name);
    List<String> set = new ArrayList<>();
    for (String value : keys) {
      ObjectNode element = list.addObject();
      if (!choice.oneIn(40)) {
        putKey(element, key, value);
      }
      if (dialect == Dialect.STRATEGIC && choice.oneIn(4)) {
        element.put("$patch", choice.oneIn(20) ? "merge" : "delete");
      } else {
        content.accept(element, value);
        set.add(value);
      }
    }
    if (dialect == Dialect.MERGE) {
      return;
    }
    if (choice.oneIn(8)) {
      list.insertObject(choice.below(list.size() + 1)).put("$patch", "replace");
    }
    if (choice.oneIn(3)) {
      order(holder.putArray("$setElementOrder/" + name), key, set);
    }
    if (choice.oneIn(15)) {
      holder.remove(name);
    }
    if (choice.oneIn(40)) {
      holder.putArray(name);
    }
    if (choice.oneIn(40)) {
      holder.put("$setElementOrder/" + name, 1);
    }
  }

  private void order(ArrayNode order, String key, List<String> set) {
    List<String> all = new ArrayList<>(choice.oneIn(10) ? choice.shuffled(set) : set);
    for (String more : choice.some(pool(key))) {
      if (!all.contains(more)) {
        all.add(choice.below(all.size() + 1), more);
      }
    }
    all.forEach(value -> putKey(order.addObject(), key, value));
    switch (choice.below(90)) {
      case 0 -> order.addObject();
      case 1 -> order.add(choice.of(WORDS));
      case 2 -> order.addObject().putNull(key);
      default -> {}
    }
  }

  private static void putKey(ObjectNode element, String key, String value) {
    if (key.toLowerCase(Locale.ROOT).endsWith("port")) {
      element.put(key, Integer.parseInt(value));
    } else {
      element.put(key, value);
    }
  }

  private static List<String> pool(String key) {
    return switch (key) {
      case "ip" -> IntStream.range(1, 5).mapToObj(i -> "10.0.0." + i).toList();
      case "port", "containerPort" -> IntStream.range(80, 85).mapToObj(Integer::toString).toList();
      default -> WORDS;
    };
  }

  private void texts(ObjectNode holder, String name) {
    if (choice.oneIn(25)) {
      holder.putNull(name);
      return;
    }
    ObjectNode texts = holder.putObject(name);
    for (String key : choice.some(WORDS)) {
      switch (choice.below(4)) {
        case 0 -> texts.putNull(key);
        default -> texts.put(key, choice.of(WORDS));
      }
    }
    if (choice.oneIn(40)) {
      texts.put("number", 1);
    }
    if (dialect == Dialect.STRATEGIC && choice.oneIn(8)) {
      texts.put("$patch", choice.of(List.of("replace", "delete", "merge")));
    }
  }

  private void strings(ArrayNode array) {
    choice.some(WORDS).forEach(array::add);
  }

  private String image() {
    return "registry.example/" + choice.of(WORDS) + ":" + choice.below(3);
  }
}
