package io.watchgate.bench.baseline;

import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApiClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The apiserver, with the operations that a baseline server needs. Thread-safe. */
final class BaselineUpstream implements AutoCloseable {
  private static final long LIST_SECONDS = 60;

  private final RawApiClient api;
  private final Queue<RawWatch> watches = new ConcurrentLinkedQueue<>();

  BaselineUpstream(ClientConfig access) throws ConfigException {
    api = RawApiClient.of(access, KubeSettings.DEFAULT);
  }

  /** A resource type in one namespace. */
  record NamespacedType(String namespace, String plural) {
    String path() {
      return "api/v1/namespaces/%s/%s".formatted(namespace, plural);
    }
  }

  /**
   * All objects at a version.
   *
   * @param objects events as if all objects had just been added
   */
  record ListResult(List<EventLine> objects, long version) {
    ListResult {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Watches after a version, until this is closed.
   *
   * @param listener called with every event, on one thread
   */
  void watch(NamespacedType resources, String version, Topics.Listener listener)
      throws KubeException {
    watches.add(
        RawWatch.open(
            api,
            resources.path() + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version,
            line -> {
              if (EventLine.isChange(line)) {
                listener.event(EventLine.of(line));
              }
            }));
  }

  /**
   * Returns the current objects, at least as new as all events that any watch has delivered.
   * Blocks. Lists with a watch that begins with all objects, because its lines can be split without
   * parsing.
   */
  ListResult list(NamespacedType resources)
      throws KubeException, ExecutionException, TimeoutException, InterruptedException {
    List<EventLine> objects = new ArrayList<>();
    CompletableFuture<Long> version = new CompletableFuture<>();
    try (RawWatch _ =
        RawWatch.open(
            api,
            resources.path()
                + "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan",
            line -> {
              if (version.isDone()) {
                return;
              }
              if (EventLine.isChange(line)) {
                objects.add(EventLine.of(line));
              } else {
                version.complete(EventLine.version(line)); // the bookmark after all objects
              }
            })) {
      return new ListResult(objects, version.get(LIST_SECONDS, TimeUnit.SECONDS));
    }
  }

  @Override
  public void close() {
    watches.forEach(RawWatch::close);
    api.close();
  }
}
