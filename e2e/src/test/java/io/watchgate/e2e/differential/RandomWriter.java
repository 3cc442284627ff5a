package io.watchgate.e2e.differential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.differential.Population.ObjectName;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Random writer of pods, config maps and widgets, deterministic for a seed. Confined to one thread.
 */
final class RandomWriter {
  private static final List<String> NAMESPACES = List.of("d-a", "d-b", "d-c");
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");
  private static final List<String> PHASES = List.of("Pending", "Running", "Succeeded", "Failed");
  private static final int GAP_DELETES = 14;
  private static final int GAP_RECREATIONS = 14;
  private static final int GAP_OTHERS = 80;

  private final Cluster cluster;
  private final Random random;
  private final RandomContent content;
  private final List<Population> populations;

  RandomWriter(Cluster cluster, long seed) {
    this.cluster = cluster;
    this.random = new Random(seed);
    this.content = new RandomContent(random);
    this.populations =
        Stream.of(Resource.PODS, Resource.CONFIGMAPS, Widgets.V1)
            .map(type -> new Population(type, NAMESPACES))
            .toList();
  }

  /** Creates the namespaces and most of the objects. */
  void begin() {
    NAMESPACES.forEach(cluster::createNamespace);
    for (Population population : populations) {
      while (population.existing.size() < 2 * population.absent.size()) {
        create(population);
      }
    }
  }

  /** Makes one write, or two for a re-creation. */
  void step() {
    Population population = content.pick(populations);
    int dice = random.nextInt(100);
    if (population.existing.size() < 60 || (dice < 8 && !population.absent.isEmpty())) {
      create(population);
    } else if (dice < 30) {
      change(population, any(population.existing));
    } else if (dice < 60) {
      relabel(population, any(population.existing));
    } else if (dice < 80) {
      refield(population, any(population.existing));
    } else if (dice < 89) {
      delete(population, any(population.existing));
    } else {
      recreate(population, any(population.existing));
    }
  }

  /** Makes enough writes to one type that a later relist finds differences. */
  void gap(Resource type) {
    Population population =
        populations.stream().filter(one -> one.type.equals(type)).findFirst().orElseThrow();
    List<ObjectName> keys = new ArrayList<>(population.existing);
    Collections.shuffle(keys, random);
    List<ObjectName> others = keys.subList(GAP_DELETES + GAP_RECREATIONS, keys.size());
    for (int i = 0; i < GAP_OTHERS; i++) {
      switch (random.nextInt(3)) {
        case 0 -> change(population, any(others));
        case 1 -> relabel(population, any(others));
        default -> refield(population, any(others));
      }
    }
    keys.subList(GAP_DELETES, GAP_DELETES + GAP_RECREATIONS)
        .forEach(key -> recreate(population, key));
    keys.subList(0, GAP_DELETES).forEach(key -> delete(population, key));
  }

  /** Changes every object, so that a client with the newest version of each has missed none. */
  void touchAll() {
    for (Population population : populations) {
      population.existing.forEach(key -> change(population, key));
    }
  }

  private ObjectName any(List<ObjectName> keys) {
    return keys.get(random.nextInt(keys.size()));
  }

  private void create(Population population) {
    ObjectName key = population.absent.remove(random.nextInt(population.absent.size()));
    create(population, key);
    population.existing.add(key);
  }

  private void create(Population population, ObjectName key) {
    Resource type = population.type;
    ObjectNode object = Json.object();
    object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
    ObjectNode metadata = object.putObject("metadata");
    metadata.put("namespace", key.namespace()).put("name", key.name());
    metadata.set("labels", RandomContent.present(content.labels()));
    metadata.putObject("annotations").put("e2e/text", content.text());
    if (type.equals(Resource.PODS)) {
      ObjectNode spec = object.putObject("spec");
      spec.put("restartPolicy", content.pick(List.of("Always", "Never")));
      spec.putArray("containers").addObject().put("name", "main").put("image", "example/main:1");
      if (random.nextInt(3) == 0) {
        population.unbound.add(key);
      } else {
        spec.put("nodeName", content.pick(NODES));
      }
    } else if (type.equals(Resource.CONFIGMAPS)) {
      object.putObject("data").put("text", content.text());
    } else {
      object.set("spec", content.values().setAll(RandomContent.present(content.fields())));
    }
    cluster.create(type, object);
  }

  private void change(Population population, ObjectName key) {
    Resource type = population.type;
    ObjectNode patch = Json.object();
    if (type.equals(Widgets.V1)) {
      patch.set("spec", content.values());
    } else {
      patch.putObject("metadata").putObject("annotations").put("e2e/text", content.text());
    }
    cluster.patch(type, key.namespace(), key.name(), patch.toString());
  }

  private void relabel(Population population, ObjectName key) {
    Resource type = population.type;
    ObjectNode patch = Json.object();
    patch.putObject("metadata").set("labels", content.labels());
    cluster.patch(type, key.namespace(), key.name(), patch.toString());
  }

  /** Changes fields that field selectors use, if the type has some. */
  private void refield(Population population, ObjectName key) {
    Resource type = population.type;
    if (type.equals(Widgets.V1)) {
      ObjectNode patch = Json.object();
      patch.set("spec", content.fields());
      cluster.patch(type, key.namespace(), key.name(), patch.toString());
    } else if (type.equals(Resource.CONFIGMAPS)) {
      relabel(population, key);
    } else if (population.unbound.remove(key)) {
      cluster.bind(key.namespace(), key.name(), content.pick(NODES));
    } else {
      ObjectNode patch = Json.object();
      patch.putObject("status").put("phase", content.pick(PHASES)).put("message", content.text());
      cluster.patchStatus(type, key.namespace(), key.name(), patch.toString());
    }
  }

  private void delete(Population population, ObjectName key) {
    Resource type = population.type;
    cluster.delete(type, key.namespace(), key.name());
    population.existing.remove(key);
    population.absent.add(key);
    population.unbound.remove(key);
  }

  /** Re-creates an object; for a pod also the only way to another node. */
  private void recreate(Population population, ObjectName key) {
    Resource type = population.type;
    cluster.delete(type, key.namespace(), key.name());
    population.unbound.remove(key);
    create(population, key);
  }
}
