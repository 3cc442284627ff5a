package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Writer that continuously creates, changes, relabels and deletes a few pods, even while the
 * apiserver is unreachable. It records the confirmed states of each pod with the label {@code
 * app=web}.
 */
final class PodWriter implements AutoCloseable {
  private static final int PODS = 8;
  private static final Duration PAUSE = Duration.ofMillis(8);

  /** State that the apiserver has confirmed. */
  record Written(String key, long version) {}

  private final Cluster cluster;
  private final String namespace;
  private final Random random;
  private final List<Written> log = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean stopped;

  private PodWriter(Cluster cluster, String namespace, long seed) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.random = new Random(seed);
    this.thread = Thread.ofVirtual().name("writer").unstarted(this::run);
  }

  static PodWriter start(Cluster cluster, String namespace) {
    long seed = System.nanoTime();
    System.err.println("the writer's seed: " + seed);
    PodWriter writer = new PodWriter(cluster, namespace, seed);
    writer.thread.start();
    return writer;
  }

  /** Returns the confirmed writes so far. */
  List<Written> log() {
    return log;
  }

  private void run() {
    while (!stopped) {
      try {
        write("web-" + random.nextInt(PODS));
      } catch (KubeException | UncheckedIOException e) {
        // The apiserver is unreachable, or an earlier write whose answer was lost did succeed.
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void write(String name) {
    int what = random.nextInt(20);
    if (what == 0) {
      cluster.delete(Resource.PODS, namespace, name);
      return;
    }
    String app = what == 1 ? "away" : "web";
    JsonNode written;
    try {
      written = cluster.patch(Resource.PODS, namespace, name, change(app));
    } catch (KubeException e) {
      if (e.code() != 404) {
        throw e;
      }
      written = cluster.create(Resource.PODS, pod(name, app));
    }
    if (app.equals("web")) {
      long version = Long.parseLong(written.at("/metadata/resourceVersion").textValue());
      log.add(new Written(DirectEvent.keyOf(written), version));
    }
  }

  private String change(String app) {
    return "{\"metadata\":{\"labels\":{\"app\":\"%s\"},\"annotations\":{\"count\":\"%d\"}}}"
        .formatted(app, random.nextLong());
  }

  private JsonNode pod(String name, String app) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"namespace":"%s","name":"%s","labels":{"app":"%s"}},
         "spec":{"containers":[{"name":"main","image":"example.test/web:1"}]}}
        """
            .formatted(namespace, name, app));
  }

  /** Stops. Returns once the last write was answered. */
  void stop() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stop();
  }
}
