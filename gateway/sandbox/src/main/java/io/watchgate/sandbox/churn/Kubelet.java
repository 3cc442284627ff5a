package io.watchgate.sandbox.churn;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.cache.TimeSource;
import java.time.temporal.ChronoUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Kubelets of all nodes: start, restart and end the containers of pods ({@link ChurnSettings}). */
final class Kubelet implements PodIndex.Watcher {
  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final PodIndex pods;
  private final EventRecorder recorder;
  private final RandomGenerator random;
  private final TimeSource time;
  private int addresses;

  Kubelet(
      ClusterClient cluster,
      SimulationQueue queue,
      PodIndex pods,
      EventRecorder recorder,
      RandomGenerator random,
      TimeSource time) {
    this.cluster = cluster;
    this.queue = queue;
    this.pods = pods;
    this.recorder = recorder;
    this.random = random;
    this.time = time;
  }

  @Override
  public void onPodChange(@Nullable Pod before, @Nullable Pod now) {
    if (now == null) {
      return;
    }
    switch (now.stage()) {
      case SCHEDULED -> scheduleStep("create", now, ChurnSettings.POD_CREATE, this::create);
      case STARTING -> scheduleStep("start", now, ChurnSettings.POD_START, this::start);
      case WAITING -> scheduleStep("restart", now, ChurnSettings.POD_RESTART, this::start);
      case DELETING -> scheduleStep("end", now, ChurnSettings.POD_END, this::end);
      case READY -> {
        boolean started = before == null || before.stage() != Pod.Stage.READY;
        if (started && random.nextInt(ChurnSettings.STARTS_PER_CRASH) == 0) {
          scheduleStep("crash", now, ChurnSettings.POD_CRASH, this::crash);
        }
      }
      case UNSCHEDULED, ENDED -> {}
    }
  }

  private interface Step {
    void run(Pod pod, JsonObject object);
  }

  /** Schedules a step, which runs only if the pod then has the same uid and the same stage. */
  private void scheduleStep(String taskName, Pod seen, ChurnSettings.Delay delay, Step step) {
    queue.scheduleOnce(
        taskName + " " + seen.key() + " " + seen.uid(),
        delay,
        () ->
            pods.get(seen.key())
                .filter(pod -> pod.uid().equals(seen.uid()) && pod.stage() == seen.stage())
                .ifPresent(
                    pod ->
                        cluster
                            .get(SimulatedKind.PODS, pod.key())
                            .ifPresent(object -> step.run(pod, object))));
  }

  private void create(Pod pod, JsonObject object) {
    updateStatus(pod, object, "Pending", "{\"waiting\":{\"reason\":\"ContainerCreating\"}}", 0);
    recorder.record(
        EventRecorder.Level.NORMAL, pod.key(), "Pulled", "Container image already present");
  }

  private void start(Pod pod, JsonObject object) {
    int restarts = restarts(object);
    updateStatus(
        pod, object, "Running", "{\"running\":{\"startedAt\":\"" + now() + "\"}}", restarts);
    recorder.record(EventRecorder.Level.NORMAL, pod.key(), "Started", "Container started");
  }

  private void crash(Pod pod, JsonObject object) {
    int restarts = restarts(object) + 1;
    updateStatus(
        pod, object, "Running", "{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}", restarts);
    recorder.record(
        EventRecorder.Level.WARNING, pod.key(), "BackOff", "Back-off restarting failed container");
  }

  private void end(Pod pod, JsonObject object) {
    cluster.deleteNow(SimulatedKind.PODS, pod.key());
  }

  private void updateStatus(Pod pod, JsonObject object, String phase, String state, int restarts) {
    boolean running = state.startsWith("{\"running");
    JsonObject status = new JsonObject();
    status.addProperty("phase", phase);
    if (!Pod.object(object, "status").has("startTime")) {
      status.addProperty("startTime", now());
    }
    status.addProperty("hostIP", InitialCluster.address(pod.node()));
    if (running && pod.ip().isEmpty()) {
      addresses++;
      String ip =
          "10.%d.%d.%d".formatted(128 + (addresses >> 16), addresses >> 8 & 255, addresses & 255);
      status.addProperty("podIP", ip);
      JsonObject first = new JsonObject();
      first.addProperty("ip", ip);
      JsonArray all = new JsonArray();
      all.add(first);
      status.add("podIPs", all);
    }
    status.add("conditions", conditions(running));
    status.add("containerStatuses", containers(object, state, running, restarts));
    cluster.mergeStatus(SimulatedKind.PODS, pod.key(), status);
  }

  private JsonArray conditions(boolean ready) {
    JsonArray conditions = new JsonArray();
    for (String type : new String[] {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
      boolean holds = ready || type.equals("PodScheduled") || type.equals("Initialized");
      conditions.add(
          ClusterClient.parse(
              """
              {"type":"%s","status":"%s","lastProbeTime":null,"lastTransitionTime":"%s"}\
              """
                  .formatted(type, holds ? "True" : "False", now())));
    }
    return conditions;
  }

  private JsonArray containers(JsonObject pod, String state, boolean running, int restarts) {
    JsonArray statuses = new JsonArray();
    for (JsonElement container : Pod.object(pod, "spec").getAsJsonArray("containers")) {
      String name = Pod.text(container.getAsJsonObject(), "name");
      String image = Pod.text(container.getAsJsonObject(), "image");
      JsonObject status =
          ClusterClient.parse(
              """
              {"name":"","state":%s,"lastState":{},"ready":%s,"restartCount":%d,"image":"",
               "imageID":"","started":%s}\
              """
                  .formatted(state, running, restarts, running));
      status.addProperty("name", name); // both may have characters to escape
      status.addProperty("image", image);
      if (restarts > 0) {
        status.add(
            "lastState",
            ClusterClient.parse(
                """
                {"terminated":{"exitCode":1,"reason":"Error","finishedAt":"%s"}}\
                """
                    .formatted(now())));
      }
      statuses.add(status);
    }
    return statuses;
  }

  private static int restarts(JsonObject pod) {
    JsonArray statuses = Pod.object(pod, "status").getAsJsonArray("containerStatuses");
    if (statuses == null || statuses.isEmpty()) {
      return 0;
    }
    JsonElement count = statuses.get(0).getAsJsonObject().get("restartCount");
    return count == null ? 0 : count.getAsInt();
  }

  private String now() {
    return time.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
