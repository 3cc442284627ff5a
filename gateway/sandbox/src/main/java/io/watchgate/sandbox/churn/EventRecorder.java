package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import io.watchgate.cache.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Writer of events about pods, as controllers write them. */
final class EventRecorder {
  private final ClusterClient cluster;
  private final TimeSource time;
  private long count;

  /** Level of an event. */
  enum Level {
    NORMAL,
    WARNING
  }

  EventRecorder(ClusterClient cluster, TimeSource time) {
    this.cluster = cluster;
    this.time = time;
  }

  void record(Level level, ObjectName pod, String reason, String message) {
    String type = level == Level.NORMAL ? "Normal" : "Warning";
    Instant now = time.now().truncatedTo(ChronoUnit.SECONDS);
    JsonObject event =
        ClusterClient.parse(
            """
            {"kind":"Event","apiVersion":"v1",
             "metadata":{"name":"%s.%s","namespace":"%s"},
             "involvedObject":{"kind":"Pod","apiVersion":"v1","namespace":"%s","name":"%s"},
             "reason":"%s","message":"%s","type":"%s","count":1,
             "source":{"component":"sandbox"},"reportingComponent":"sandbox",
             "reportingInstance":"","firstTimestamp":"%s","lastTimestamp":"%s"}\
            """
                .formatted(
                    pod.name(),
                    String.format(Locale.ROOT, "%016x", ++count),
                    pod.namespace(),
                    pod.namespace(),
                    pod.name(),
                    reason,
                    message,
                    type,
                    now,
                    now));
    cluster.create(SimulatedKind.EVENTS, pod.namespace(), event);
  }
}
