package io.watchgate.table;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Summary of a pod as in {@code kubectl get pods}. The rules and their precedence are those of
 * {@code printPod} in the apiserver (1.36, pkg/printers/internalversion).
 *
 * @param ready containers that are ready, sidecars included
 * @param containers containers, sidecars included, other init containers not
 * @param status one word, mostly
 * @param restartCount restart count of the containers, or of the init containers while these run
 * @param lastRestart time of the last restart
 */
record PodSummary(
    int ready, int containers, String status, int restartCount, Optional<Instant> lastRestart) {

  static PodSummary of(JsonView pod) {
    return new PodReader(pod).read();
  }

  /** Returns {@code 3 (5m ago)}. */
  String restarts(Instant now) {
    return restartCount
        + lastRestart
            .filter(time -> restartCount != 0)
            .map(time -> " (" + HumanDuration.since(Optional.of(time), now) + " ago)")
            .orElse("");
  }

  /** Reader of one pod. */
  private static final class PodReader {
    private final JsonView pod;
    private final JsonView status;
    private final List<JsonView> initContainers;
    private int ready;
    private String reason;
    private Restarts restarts = new Restarts(0, Optional.empty());

    /** Number of restarts, and time of the last one. */
    private record Restarts(int count, Optional<Instant> last) {
      Restarts plus(JsonView container) {
        Optional<Instant> end = container.get("lastState", "terminated", "finishedAt").time();
        boolean later = end.isPresent() && (last.isEmpty() || last.get().isBefore(end.get()));
        return new Restarts(count + container.get("restartCount").number(), later ? end : last);
      }
    }

    PodReader(JsonView pod) {
      this.pod = pod;
      status = pod.get("status");
      initContainers = pod.get("spec", "initContainers").items();
      String own = status.get("reason").text();
      reason = own.isEmpty() ? status.get("phase").text() : own;
    }

    PodSummary read() {
      for (JsonView condition : status.get("conditions").items()) {
        if (condition.get("type").text().equals("PodScheduled")
            && condition.get("reason").text().equals("SchedulingGated")) {
          reason = "SchedulingGated";
        }
      }
      boolean initializing = readInitContainers();
      if (!initializing || hasCondition("Initialized")) {
        readContainers();
      }
      if (pod.get("metadata", "deletionTimestamp").exists()) {
        overruleByDeletion();
      }
      long sidecars = initContainers.stream().filter(PodReader::restartable).count();
      int containers = pod.get("spec", "containers").items().size() + (int) sidecars;
      return new PodSummary(ready, containers, reason, restarts.count, restarts.last);
    }

    /** Returns whether an init container still delays the start of the pod. */
    private boolean readInitContainers() {
      Restarts all = new Restarts(0, Optional.empty());
      Restarts ofSidecars = all;
      boolean initializing = false;
      List<JsonView> statuses = status.get("initContainerStatuses").items();
      for (int i = 0; i < statuses.size() && !initializing; i++) {
        JsonView container = statuses.get(i);
        boolean sidecar = isSidecar(container.get("name").text());
        all = all.plus(container);
        ofSidecars = sidecar ? ofSidecars.plus(container) : ofSidecars;
        JsonView terminated = container.get("state", "terminated");
        String waiting = container.get("state", "waiting", "reason").text();
        if (terminated.exists() && terminated.get("exitCode").number() == 0) {
          continue;
        }
        if (sidecar && container.get("started").isTrue()) {
          ready += container.get("ready").isTrue() ? 1 : 0;
          continue;
        }
        initializing = true;
        if (terminated.exists()) {
          reason = "Init:" + end(terminated);
        } else if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
          reason = "Init:" + waiting;
        } else {
          reason = "Init:" + i + "/" + initContainers.size();
        }
      }
      // During initialization the restarts of all init containers count, afterwards only those of
      // sidecars.
      restarts = initializing && !hasCondition("Initialized") ? all : ofSidecars;
      return initializing;
    }

    /** Iterates from the last to the first, so that the first container overrides the others. */
    private void readContainers() {
      boolean running = false;
      String error = "";
      for (JsonView container : status.get("containerStatuses").items().reversed()) {
        restarts = restarts.plus(container);
        String waiting = container.get("state", "waiting", "reason").text();
        JsonView terminated = container.get("state", "terminated");
        if (!waiting.isEmpty()) {
          reason = waiting;
        } else if (terminated.exists()) {
          reason = end(terminated);
          error = terminated.get("exitCode").number() == 0 ? error : reason;
        } else if (container.get("ready").isTrue() && container.get("state", "running").exists()) {
          running = true;
          ready++;
        }
      }
      if (reason.equals("Completed")) {
        if (running && hasCondition("Ready")) {
          reason = "Running";
        } else if (!error.isEmpty()) {
          reason = error;
        } else if (running) {
          reason = "NotReady";
        }
      }
    }

    private void overruleByDeletion() {
      String phase = status.get("phase").text();
      if (status.get("reason").text().equals("NodeLost")) {
        reason = "Unknown";
      } else if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
        reason = "Terminating";
      }
    }

    private static String end(JsonView terminated) {
      String reason = terminated.get("reason").text();
      if (!reason.isEmpty()) {
        return reason;
      }
      int signal = terminated.get("signal").number();
      return signal != 0 ? "Signal:" + signal : "ExitCode:" + terminated.get("exitCode").number();
    }

    private boolean isSidecar(String name) {
      return initContainers.stream()
          .anyMatch(
              container -> container.get("name").text().equals(name) && restartable(container));
    }

    private static boolean restartable(JsonView initContainer) {
      return initContainer.get("restartPolicy").text().equals("Always");
    }

    private boolean hasCondition(String type) {
      return status.get("conditions").items().stream()
          .anyMatch(
              condition ->
                  condition.get("type").text().equals(type)
                      && condition.get("status").text().equals("True"));
    }
  }
}
