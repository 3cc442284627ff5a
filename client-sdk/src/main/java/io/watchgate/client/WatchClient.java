package io.watchgate.client;

import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of a gateway, over one connection to each of its replicas, which all watches share.
 * Thread-safe. Its threads are daemons; {@link #close} ends them.
 *
 * <p>With several addresses, or a name with several ({@link #toEach}), streams go round the
 * replicas; one that ends, or that has come to be behind, is left for another, with the last token.
 */
public final class WatchClient implements AutoCloseable {
  private static final int CLOSING_SECONDS = 5;

  private final ReplicaSelector replicas;
  private final Executor executor;

  /** The same, if it is this client's own. */
  private final @Nullable ClientThreads threads;

  private final SystemScheduler systemTimers = new SystemScheduler();
  private final ClientContext environment;

  private final UnaryCalls unaryCalls;
  private final Set<WatchCall> calls = ConcurrentHashMap.newKeySet();

  WatchClient(WatchClientBuilder builder) {
    Executor given = builder.executor();
    threads = given == null ? new ClientThreads() : null;
    executor = threads == null ? Objects.requireNonNull(given) : threads;
    Scheduler timers = builder.timersOr(systemTimers);
    replicas = new ReplicaSelector(builder.directory(), builder::connect, timers, builder.random());
    environment =
        new ClientContext(
            replicas,
            timers,
            executor,
            builder.random(),
            new RetryBudget(timers),
            builder.maxGroupBytes(),
            builder.firstAnswerTimeout());
    unaryCalls = new UnaryCalls(replicas, timers, builder.random());
  }

  /**
   * A client of the gateway at {@code host} and {@code port}, plaintext unless the builder is told
   * otherwise.
   */
  public static WatchClientBuilder to(String host, int port) {
    return new WatchClientBuilder(new HostPort(host, port), WatchClientBuilder.Names.AS_ONE);
  }

  /**
   * A client of all replicas that a name leads to, each of its addresses being one: that of a
   * headless Service. It is looked up anew as replicas come and go, every 10 s at most; the JDK
   * remembers what it found for 30 s, unless the security property {@code networkaddress.cache.ttl}
   * says otherwise. TLS certificates have to name it.
   */
  public static WatchClientBuilder toEach(String name, int port) {
    return new WatchClientBuilder(new HostPort(name, port), WatchClientBuilder.Names.EACH_ADDRESS);
  }

  /**
   * Watches until {@link WatchCall#close} or {@link WatchUpdate.Ended}. Where the request starts
   * (nothing, a token, a version, from now) holds for the first stream; the following ones start
   * from the last token. The connection is made in the background: failures come to the listener.
   */
  public WatchCall watch(ListAndWatchRequest request, WatchListener listener) {
    return watchAfter(Duration.ZERO, request, listener);
  }

  /** The same, begun only after a delay, which its end ends too. */
  public WatchCall watchAfter(Duration delay, ListAndWatchRequest request, WatchListener listener) {
    return start(delay, request, listener, Long.MAX_VALUE);
  }

  /** The same for a listener that is told only as much as {@link WatchCall#request} asks for. */
  public WatchCall watchOnDemand(ListAndWatchRequest request, WatchListener listener) {
    return start(Duration.ZERO, request, listener, 0);
  }

  /** The same for a program that asks for each update, and waits for it. */
  public WatchStream open(ListAndWatchRequest request) {
    return WatchStream.open(this, request);
  }

  /**
   * @param demand so many updates are wanted to begin with; {@link Long#MAX_VALUE}: all
   */
  private WatchCall start(
      Duration delay, ListAndWatchRequest request, WatchListener listener, long demand) {
    WatchCall call = new WatchCall(environment, request, listener, demand, calls::remove);
    calls.add(call);
    call.start(delay);
    return call;
  }

  /**
   * The resource types that can be watched, and their state. An answer of something that is no
   * gateway, such as a proxy, is asked again up to four times within seconds.
   *
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time, or
   *     its name leads nowhere
   */
  public ListResourceTypesResponse listResourceTypes(Duration timeout) {
    return unaryCalls.call(
        timeout, stub -> stub.listResourceTypes(ListResourceTypesRequest.getDefaultInstance()));
  }

  /**
   * One page of the objects that match. Asked again as above.
   *
   * @throws io.grpc.StatusRuntimeException when the gateway refuses, or does not answer in time, or
   *     its name leads nowhere
   */
  public ListObjectsResponse listObjects(ListObjectsRequest request, Duration timeout) {
    return unaryCalls.call(timeout, stub -> stub.listObjects(request));
  }

  /**
   * Where listeners are called, and the handlers of informers: as many threads as there are of
   * those that have something to do at a time, or what {@link WatchClientBuilder#executor} gave.
   */
  public Executor executor() {
    return executor;
  }

  /**
   * Closes all watches and connections. Waits until its threads have ended, for {@value
   * #CLOSING_SECONDS} s at most, unless one of them calls this, or is interrupted. May be called
   * more than once.
   */
  @Override
  public void close() {
    calls.forEach(WatchCall::close);
    systemTimers.close();
    replicas.close();
    ClientThreads own = threads;
    if (own != null && !own.isOne(Thread.currentThread())) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSING_SECONDS);
      try {
        replicas.awaitEnd(deadline); // the last callbacks need the threads
        own.end(deadline);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
