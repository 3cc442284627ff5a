package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Writer that continuously increments a config map: {@code /data/value} is 0, then 1, 2, 3. */
final class CountingWriter implements AutoCloseable {
  static final String NAME = "writer";
  private static final Duration PACE = Duration.ofMillis(5);

  private final Cluster admin;
  private final String namespace;
  private final AtomicInteger value = new AtomicInteger();
  private final Thread thread;
  private volatile boolean closed;

  private CountingWriter(Cluster admin, String namespace) {
    this.admin = admin;
    this.namespace = namespace;
    this.thread = Thread.ofVirtual().unstarted(this::run);
  }

  static CountingWriter in(Cluster admin, String namespace) {
    admin.create(
        Type.CONFIGMAPS.resource(),
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"},
             "data":{"value":"0"}}
            """
                .formatted(namespace, NAME)));
    CountingWriter writer = new CountingWriter(admin, namespace);
    writer.thread.start();
    return writer;
  }

  private void run() {
    while (!closed) {
      int next = value.get() + 1;
      admin.patch(
          Type.CONFIGMAPS.resource(), namespace, NAME, "{\"data\":{\"value\":\"" + next + "\"}}");
      value.set(next);
      LockSupport.parkNanos(PACE.toNanos());
    }
  }

  String key() {
    return namespace + "/" + NAME;
  }

  /** Returns the last value that was certainly written. */
  int value() {
    return value.get();
  }

  @Override
  public void close() {
    stop();
  }

  /** Stops. Returns once the last write has finished. */
  void stop() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
