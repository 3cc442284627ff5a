package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All pods, by what they are looked for; tells others what became of each. */
final class Pods implements Follower.Actor {
  private final List<Watcher> watchers = new ArrayList<>();
  private final Map<Key, Pod> all = new TreeMap<>();
  private final Map<Key, Map<Key, Pod>> byReplicaSet = new TreeMap<>();
  private final Map<Key, Map<Key, Pod>> byApp = new TreeMap<>();
  private final Map<String, Integer> byNode = new TreeMap<>();

  /** Is told what became of a pod: at least one of both is there. */
  interface Watcher {
    void became(@Nullable Pod before, @Nullable Pod now);
  }

  Pods to(Watcher watcher) {
    watchers.add(watcher);
    return this;
  }

  @Override
  public void saw(Key key, @Nullable JsonObject now) {
    Pod before = all.remove(key);
    if (before != null) {
      leave(byReplicaSet, new Key(key.namespace(), before.replicaSet()), key);
      leave(byApp, new Key(key.namespace(), before.app()), key);
      byNode.computeIfPresent(before.node(), (node, count) -> count == 1 ? null : count - 1);
    }
    Pod pod = now == null ? null : Pod.of(key, now);
    if (pod != null) {
      all.put(key, pod);
      join(byReplicaSet, new Key(key.namespace(), pod.replicaSet()), pod);
      join(byApp, new Key(key.namespace(), pod.app()), pod);
      byNode.merge(pod.node(), 1, Integer::sum);
    }
    watchers.forEach(watcher -> watcher.became(before, pod));
  }

  private static void join(Map<Key, Map<Key, Pod>> groups, Key group, Pod pod) {
    if (!group.name().isEmpty()) {
      groups.computeIfAbsent(group, name -> new TreeMap<>()).put(pod.key(), pod);
    }
  }

  private static void leave(Map<Key, Map<Key, Pod>> groups, Key group, Key pod) {
    Map<Key, Pod> members = groups.get(group);
    if (members != null) {
      members.remove(pod);
      if (members.isEmpty()) {
        groups.remove(group);
      }
    }
  }

  Optional<Pod> get(Key key) {
    return Optional.ofNullable(all.get(key));
  }

  Collection<Pod> all() {
    return all.values();
  }

  List<Pod> ofReplicaSet(Key replicaSet) {
    return List.copyOf(byReplicaSet.getOrDefault(replicaSet, Map.of()).values());
  }

  List<Pod> ofApp(String namespace, String app) {
    return List.copyOf(byApp.getOrDefault(new Key(namespace, app), Map.of()).values());
  }

  /** How many are on that node. */
  int on(String node) {
    return byNode.getOrDefault(node, 0);
  }
}
