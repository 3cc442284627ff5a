package io.watchgate.server;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Cluster of {@link Warmup}: one type with one object, which changes once. */
final class WarmupCluster implements Cluster {
  static final String RESOURCE = "rehearsals";

  private static final TypeDefinition DEFINITION =
      new TypeDefinition(
          new ApiResource("", "v1", RESOURCE, "Warmup", ApiResource.Scope.NAMESPACED),
          "warmup",
          List.of(),
          List.of("list", "watch"),
          "",
          List.of());

  private final CountDownLatch changeReleased = new CountDownLatch(1);

  /** Releases the change of the object. */
  void releaseChange() {
    changeReleased.countDown();
  }

  @Override
  public Resolution resolve(TypeReference name) {
    return new Found(DEFINITION);
  }

  @Override
  public Resolution refresh(TypeReference name) {
    return resolve(name);
  }

  @Override
  public Listing types() {
    return new Listing(List.of(DEFINITION), Map.of(), Optional.empty());
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    return new Played();
  }

  private static byte[] object(int version) {
    return """
    {"kind":"Warmup","apiVersion":"v1","metadata":{"name":"a","namespace":"b",\
    "uid":"c","resourceVersion":"%d","labels":{"d":"e"}}}\
    """
        .formatted(version)
        .getBytes(StandardCharsets.UTF_8);
  }

  private final class Played implements Upstream {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public ListOutcome list(ItemSink sink) {
      sink.item(object(1));
      return new Listed("1");
    }

    @Override
    public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
      return new ListFailed(new UpstreamFailure.Expired("there is no past"));
    }

    @Override
    public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
      event(EventType.ADDED, 1, sink);
      sink.bookmark("1", BookmarkKind.INITIAL_EVENTS_END);
      return watch("1", sink);
    }

    @Override
    public WatchOutcome watch(String resourceVersion, WatchSink sink) {
      try {
        changeReleased.await();
        event(EventType.MODIFIED, 2, sink);
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new WatchOutcome(null);
    }

    private static void event(EventType type, int version, WatchSink sink) {
      byte[] object = object(version);
      sink.event(type, object, 0, object.length);
    }

    @Override
    public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
      return new WatchOutcome(null);
    }

    @Override
    public void interrupt() {}

    @Override
    public ListOutcome probe() {
      return new Listed("1");
    }

    @Override
    public void close() {
      releaseChange();
      closed.countDown();
    }
  }
}
