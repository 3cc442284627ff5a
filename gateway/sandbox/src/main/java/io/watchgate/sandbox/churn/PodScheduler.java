package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Scheduler that binds each pod to the schedulable node with the fewest pods. */
final class PodScheduler implements PodIndex.Watcher {
  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final PodIndex pods;
  private final EventRecorder recorder;
  private final Set<String> schedulableNodes = new TreeSet<>();

  PodScheduler(
      ClusterClient cluster, SimulationQueue queue, PodIndex pods, EventRecorder recorder) {
    this.cluster = cluster;
    this.queue = queue;
    this.pods = pods;
    this.recorder = recorder;
  }

  @Override
  public void onPodChange(@Nullable Pod before, @Nullable Pod now) {
    if (now != null && now.stage() == Pod.Stage.UNSCHEDULED) {
      queue.scheduleOnce(
          "schedule " + now.key(), ChurnSettings.POD_SCHEDULE, () -> schedule(now.key()));
    }
  }

  void onNodeChange(ObjectName key, @Nullable JsonObject now) {
    if (now == null || Pod.object(now, "spec").has("unschedulable")) {
      schedulableNodes.remove(key.name());
    } else {
      schedulableNodes.add(key.name());
    }
  }

  private void schedule(ObjectName key) {
    if (pods.get(key).filter(pod -> pod.stage() == Pod.Stage.UNSCHEDULED).isEmpty()) {
      return;
    }
    Optional<String> node =
        schedulableNodes.stream().min(Comparator.comparingInt(pods::countOnNode));
    if (node.isEmpty()) {
      queue.scheduleOnce("schedule " + key, ChurnSettings.POD_SCHEDULE_RETRY, () -> schedule(key));
      return;
    }
    cluster.bind(key, node.get());
    recorder.record(
        EventRecorder.Level.NORMAL,
        key,
        "Scheduled",
        "Successfully assigned " + key + " to " + node.get());
  }
}
