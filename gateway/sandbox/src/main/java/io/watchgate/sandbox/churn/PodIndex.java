package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Index of all pods by replicaset, app and node. Notifies watchers of changes. */
final class PodIndex implements ObjectFollower.Actor {
  private final List<Watcher> watchers = new ArrayList<>();
  private final Map<ObjectName, Pod> all = new TreeMap<>();
  private final Map<ObjectName, Map<ObjectName, Pod>> byReplicaSet = new TreeMap<>();
  private final Map<ObjectName, Map<ObjectName, Pod>> byApp = new TreeMap<>();
  private final Map<String, Integer> byNode = new TreeMap<>();

  /** Recipient of changes of pods. At least one argument is not null. */
  interface Watcher {
    void onPodChange(@Nullable Pod before, @Nullable Pod now);
  }

  PodIndex addWatcher(Watcher watcher) {
    watchers.add(watcher);
    return this;
  }

  @Override
  public void onChange(ObjectName key, @Nullable JsonObject now) {
    Pod before = all.remove(key);
    if (before != null) {
      leave(byReplicaSet, new ObjectName(key.namespace(), before.replicaSet()), key);
      leave(byApp, new ObjectName(key.namespace(), before.app()), key);
      byNode.computeIfPresent(before.node(), (node, count) -> count == 1 ? null : count - 1);
    }
    Pod pod = now == null ? null : Pod.of(key, now);
    if (pod != null) {
      all.put(key, pod);
      join(byReplicaSet, new ObjectName(key.namespace(), pod.replicaSet()), pod);
      join(byApp, new ObjectName(key.namespace(), pod.app()), pod);
      byNode.merge(pod.node(), 1, Integer::sum);
    }
    watchers.forEach(watcher -> watcher.onPodChange(before, pod));
  }

  private static void join(
      Map<ObjectName, Map<ObjectName, Pod>> groups, ObjectName group, Pod pod) {
    if (!group.name().isEmpty()) {
      groups.computeIfAbsent(group, name -> new TreeMap<>()).put(pod.key(), pod);
    }
  }

  private static void leave(
      Map<ObjectName, Map<ObjectName, Pod>> groups, ObjectName group, ObjectName pod) {
    Map<ObjectName, Pod> members = groups.get(group);
    if (members != null) {
      members.remove(pod);
      if (members.isEmpty()) {
        groups.remove(group);
      }
    }
  }

  Optional<Pod> get(ObjectName key) {
    return Optional.ofNullable(all.get(key));
  }

  Collection<Pod> all() {
    return all.values();
  }

  List<Pod> ofReplicaSet(ObjectName replicaSet) {
    return List.copyOf(byReplicaSet.getOrDefault(replicaSet, Map.of()).values());
  }

  List<Pod> ofApp(String namespace, String app) {
    return List.copyOf(byApp.getOrDefault(new ObjectName(namespace, app), Map.of()).values());
  }

  /** Returns the number of pods on a node. */
  int countOnNode(String node) {
    return byNode.getOrDefault(node, 0);
  }
}
