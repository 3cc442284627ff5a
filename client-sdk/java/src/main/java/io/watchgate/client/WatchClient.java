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
 * Client of a gateway. All watches share one connection to each replica. Thread-safe. Its threads
 * are daemons; {@link #close} ends them.
 *
 * <p>With several addresses, or a name that resolves to several addresses ({@link #toEach}),
 * streams are distributed round robin over the replicas. If a replica shuts down or lags, the
 * stream moves to another replica and resumes with the last token.
 */
public final class WatchClient implements AutoCloseable {
  private static final int CLOSING_SECONDS = 5;

  private final ReplicaSelector replicas;
  private final Executor executor;

  /** Threads that this client owns; null if the caller supplied an executor. */
  private final @Nullable ClientThreads threads;

  private final SystemScheduler systemTimers = new SystemScheduler();
  private final ClientContext environment;

  private final UnaryCalls unaryCalls;
  private final Set<WatchCall> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  WatchClient(WatchClientBuilder builder) {
    Executor given = builder.executor();
    threads = given == null ? new ClientThreads() : null;
    executor = threads == null ? Objects.requireNonNull(given) : threads;
    Scheduler timers = builder.timersOr(systemTimers);
    replicas =
        new ReplicaSelector(builder.replicaResolver(), builder::connect, timers, builder.random());
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
   * Returns a builder of a client for the gateway at {@code host} and {@code port}. The connection
   * is plaintext unless the builder is configured for TLS.
   */
  public static WatchClientBuilder to(String host, int port) {
    return new WatchClientBuilder(new HostPort(host, port), WatchClientBuilder.Names.AS_ONE);
  }

  /**
   * Returns a builder of a client for all replicas that a name resolves to, such as the name of a
   * headless Service. Each address is one replica. The name is resolved again when replicas change,
   * at most every 10 s; the JDK caches the result for 30 s unless the security property {@code
   * networkaddress.cache.ttl} is set. TLS certificates must contain the name.
   */
  public static WatchClientBuilder toEach(String name, int port) {
    return new WatchClientBuilder(new HostPort(name, port), WatchClientBuilder.Names.EACH_ADDRESS);
  }

  /**
   * Starts a watch that lasts until {@link WatchCall#close} or {@link WatchUpdate.Ended}. The start
   * of the request (nothing, a token, a version, from now) applies to the first stream; later
   * streams start from the last token. The connection is made in the background, and failures are
   * reported to the listener.
   *
   * @throws IllegalStateException if the client is closed
   */
  public WatchCall watch(ListAndWatchRequest request, WatchListener listener) {
    return watchAfter(Duration.ZERO, request, listener);
  }

  /**
   * Starts a watch after a delay. Closing the watch also ends the delay.
   *
   * @throws IllegalStateException if the client is closed
   */
  public WatchCall watchAfter(Duration delay, ListAndWatchRequest request, WatchListener listener) {
    return start(delay, request, listener, Long.MAX_VALUE);
  }

  /**
   * Starts a watch whose listener receives only as many updates as {@link WatchCall#request} asks
   * for.
   *
   * @throws IllegalStateException if the client is closed
   */
  public WatchCall watchOnDemand(ListAndWatchRequest request, WatchListener listener) {
    return start(Duration.ZERO, request, listener, 0);
  }

  /**
   * Starts a watch that the program reads by blocking calls.
   *
   * @throws IllegalStateException if the client is closed
   */
  public WatchStream open(ListAndWatchRequest request) {
    return WatchStream.open(this, request);
  }

  /**
   * @param demand number of updates requested at the start; {@link Long#MAX_VALUE}: all
   */
  private WatchCall start(
      Duration delay, ListAndWatchRequest request, WatchListener listener, long demand) {
    WatchCall call = new WatchCall(environment, request, listener, demand, calls::remove);
    calls.add(call);
    if (isClosed) { // perhaps only after the call to this method, and too late to end the watch
      calls.remove(call);
      throw new IllegalStateException("the client is closed");
    }
    call.start(delay);
    return call;
  }

  /**
   * Returns the resource types that can be watched, and their state. If a server that is not a
   * gateway answers, such as a proxy, the call is repeated up to four times within seconds.
   *
   * @throws io.grpc.StatusRuntimeException if the gateway refuses the call or does not answer in
   *     time, or if its name does not resolve
   */
  public ListResourceTypesResponse listResourceTypes(Duration timeout) {
    return unaryCalls.call(
        timeout, stub -> stub.listResourceTypes(ListResourceTypesRequest.getDefaultInstance()));
  }

  /**
   * Returns one page of the objects that match. Retried like {@link #listResourceTypes}.
   *
   * @throws io.grpc.StatusRuntimeException if the gateway refuses the call or does not answer in
   *     time, or if its name does not resolve
   */
  public ListObjectsResponse listObjects(ListObjectsRequest request, Duration timeout) {
    return unaryCalls.call(timeout, stub -> stub.listObjects(request));
  }

  /**
   * Returns all objects that match, of one version, by as many pages as are needed. Begins again,
   * at most twice, if the gateway no longer holds the version of the pages.
   *
   * @param request limits of each page; its page token is ignored
   * @param timeout timeout of all pages together
   * @return the first page, with the objects of all pages and the resume token of the last
   * @throws io.grpc.StatusRuntimeException as {@link #listObjects}
   */
  public ListObjectsResponse listAllObjects(ListObjectsRequest request, Duration timeout) {
    return unaryCalls.listAll(request, timeout);
  }

  /**
   * Returns the executor that calls listeners and the handlers of informers: the client's own
   * threads, as many as there are running callbacks, or the executor given to {@link
   * WatchClientBuilder#executor}.
   */
  public Executor executor() {
    return executor;
  }

  /**
   * Closes all watches and connections. Waits at most {@value #CLOSING_SECONDS} s until the
   * client's threads have ended. Does not wait if one of these threads calls this, and stops
   * waiting on interrupt. May be called more than once.
   */
  @Override
  public void close() {
    isClosed = true; // before the watches are closed: a later one is not in the set
    calls.forEach(WatchCall::close);
    systemTimers.close();
    replicas.close();
    ClientThreads own = threads;
    if (own != null && !own.isOwnThread(Thread.currentThread())) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSING_SECONDS);
      try {
        replicas.awaitEnd(deadline); // the last callbacks need the threads
        own.shutdown(deadline);
        // A watch that was being started may have lost its task to the end of the threads.
        calls.forEach(WatchCall::endWithoutThread);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
