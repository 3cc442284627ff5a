package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Scheduler that binds each pod to the schedulable node with the fewest pods. */
final class Scheduler implements Pods.Watcher {
  private final ClusterClient cluster;
  private final SimulationQueue agenda;
  private final Pods pods;
  private final EventRecorder recorder;
  private final Set<String> open = new TreeSet<>();

  Scheduler(ClusterClient cluster, SimulationQueue agenda, Pods pods, EventRecorder recorder) {
    this.cluster = cluster;
    this.agenda = agenda;
    this.pods = pods;
    this.recorder = recorder;
  }

  @Override
  public void became(@Nullable Pod before, @Nullable Pod now) {
    if (now != null && now.stage() == Pod.Stage.UNSCHEDULED) {
      agenda.once("schedule " + now.key(), 20, 300, () -> schedule(now.key()));
    }
  }

  void sawNode(ObjectName key, @Nullable JsonObject now) {
    if (now == null || Pod.object(now, "spec").has("unschedulable")) {
      open.remove(key.name());
    } else {
      open.add(key.name());
    }
  }

  private void schedule(ObjectName key) {
    if (pods.get(key).filter(pod -> pod.stage() == Pod.Stage.UNSCHEDULED).isEmpty()) {
      return;
    }
    Optional<String> node = open.stream().min(Comparator.comparingInt(pods::on));
    if (node.isEmpty()) {
      agenda.once("schedule " + key, 5_000, 5_001, () -> schedule(key));
      return;
    }
    cluster.bind(key, node.get());
    recorder.say(
        EventRecorder.Level.NORMAL,
        key,
        "Scheduled",
        "Successfully assigned " + key + " to " + node.get());
  }
}
