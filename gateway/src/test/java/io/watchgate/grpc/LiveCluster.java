package io.watchgate.grpc;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Fake apiserver of one type, with initial objects and later changes by a test. */
final class LiveCluster implements Cluster {
  private final List<SampleObject> held;
  private volatile Live live = new Live();
  private volatile CountDownLatch answering = new CountDownLatch(0);
  private final AtomicInteger asking = new AtomicInteger();
  private volatile CountDownLatch opening = new CountDownLatch(0);
  private volatile boolean isOpening;

  /**
   * @param held objects at version 100
   */
  LiveCluster(List<SampleObject> held) {
    this.held = List.copyOf(held);
  }

  /** Writes an object; the present watches get the change. */
  void put(SampleObject object) {
    byte[] bytes = object.bytes();
    live.changes.add(sink -> sink.event(Upstream.EventType.MODIFIED, bytes, 0, bytes.length));
  }

  /** Blocks later requests for the type until the latch is counted down. */
  CountDownLatch blockRequests() {
    CountDownLatch latch = new CountDownLatch(1);
    answering = latch;
    return latch;
  }

  /** Returns whether a request waits for an answer. */
  boolean isAsked() {
    return asking.get() > 0;
  }

  /** Blocks later openings of the type, after admission, until the latch is counted down. */
  CountDownLatch blockOpening() {
    CountDownLatch latch = new CountDownLatch(1);
    opening = latch;
    return latch;
  }

  /** Returns whether an admitted caller has opened the type, or waits for it. */
  boolean isOpening() {
    return isOpening;
  }

  @Override
  public Resolution resolve(TypeReference name) throws InterruptedException {
    asking.incrementAndGet();
    answering.await();
    asking.decrementAndGet();
    return name.resource().equals("configmaps")
        ? new Found(CacheWriter.DEFINITION)
        : new Unknown(List.of());
  }

  @Override
  public Resolution refresh(TypeReference name) throws InterruptedException {
    return resolve(name);
  }

  @Override
  public Listing types() {
    return new Listing(List.of(CacheWriter.DEFINITION), Map.of(), Optional.empty());
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    isOpening = true;
    try {
      opening.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    live = new Live();
    return live;
  }

  private final class Live implements Upstream {
    private final BlockingQueue<Consumer<WatchSink>> changes = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    @Override
    public ListOutcome list(ItemSink sink) {
      held.forEach(object -> sink.item(object.bytes()));
      return new Listed("100");
    }

    @Override
    public WatchOutcome watchList(Duration markerTimeout, WatchSink sink) {
      return new WatchOutcome(new UpstreamFailure.Unsupported("a paged list does as well"));
    }

    @Override
    public WatchOutcome watch(String resourceVersion, WatchSink sink) {
      sink.opened();
      try {
        while (!closed) {
          changes.take().accept(sink);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new WatchOutcome(new UpstreamFailure.Transport("closed"));
    }

    @Override
    public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
      return new ListFailed(new UpstreamFailure.Expired("nothing of the past is known"));
    }

    @Override
    public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
      return new WatchOutcome(null);
    }

    @Override
    public void interrupt() {}

    @Override
    public ListOutcome probe() {
      return new Listed("100");
    }

    @Override
    public void close() {
      closed = true;
      changes.add(sink -> {});
    }
  }
}
