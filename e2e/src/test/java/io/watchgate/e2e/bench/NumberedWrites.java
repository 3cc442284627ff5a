package io.watchgate.e2e.bench;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writer of increasing numbers into a few config maps of a namespace, round robin and at a fixed
 * rate, until it is closed. Late writes are made up for.
 */
final class NumberedWrites implements AutoCloseable {
  private static final int MAPS = 3;

  private final Cluster cluster;
  private final String namespace;
  private final long pauseNanos;
  private final AtomicLong written = new AtomicLong(MAPS);
  private final Thread writer;
  private volatile boolean ended;

  private NumberedWrites(Cluster cluster, String namespace, int rate) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.pauseNanos = 1_000_000_000L / rate;
    this.writer = Thread.ofVirtual().name("writes").unstarted(this::write);
  }

  /** Starts writing, in a new namespace. */
  static NumberedWrites start(Cluster cluster, String namespace, int rate) {
    cluster.createNamespace(namespace);
    for (int number = 1; number <= MAPS; number++) {
      cluster.create(
          Resource.CONFIGMAPS,
          Json.parse(
              """
              {"apiVersion":"v1","kind":"ConfigMap","data":{"number":"%d"},
               "metadata":{"namespace":"%s","name":"%s"}}
              """
                  .formatted(number, namespace, name(number))));
    }
    NumberedWrites begun = new NumberedWrites(cluster, namespace, rate);
    begun.writer.start();
    return begun;
  }

  private static String name(long number) {
    return "c" + number % MAPS;
  }

  private void write() {
    long due = System.nanoTime();
    while (!ended) {
      long number = written.get() + 1;
      cluster.patch(
          Resource.CONFIGMAPS,
          namespace,
          name(number),
          "{\"data\":{\"number\":\"" + number + "\"}}");
      written.set(number);
      due += pauseNanos;
      while (!ended && due - System.nanoTime() > 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
    }
  }

  /** Returns a watch request for all of them. */
  ListAndWatchRequest request() {
    return ListAndWatchRequest.newBuilder()
        .setSelection(
            Selection.newBuilder()
                .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
                .addNamespaces(namespace))
        .build();
  }

  static long number(WatchEvent event) {
    return Json.parse(event.getObject().toStringUtf8()).at("/data/number").asLong();
  }

  /** Returns the last number that the apiserver has. */
  long last() {
    return written.get();
  }

  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(writer);
    await().until(() -> !writer.isAlive());
  }
}
