package io.watchgate.http;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.pem.ReloadingPem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.WindowRateControl;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.Graceful;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server of a {@link ResourceCatalog}, or of a caching proxy, on one address: HTTP/1.1 and
 * HTTP/2. Clients select HTTP/2 by ALPN with TLS, and by prior knowledge without. Thread-safe. Its
 * threads are daemons, so the code that starts it has to keep the process alive.
 */
public final class HttpServer implements AutoCloseable {
  /**
   * One thread accepts, one selects, and the others handle frames and pass requests to virtual
   * threads.
   */
  private static final int MAX_THREADS = 12;

  private static final int MIN_THREADS = 4;

  private final InetSocketAddress address;
  private final Server server;
  private final ServerConnector connector;
  private final HttpWatches watches;
  private final HttpSettings settings;
  private final Resources resources;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Threads and fan-out of a server. */
  private record Resources(
      ScheduledExecutorService timer,
      Executor calls,
      WatchFanout fanout,
      Optional<RouterRegistry> ownRouters) {
    static Resources ofOwnFanout(FanoutSettings settings) {
      ScheduledExecutorService timer = newTimer();
      RouterRegistry routers =
          RouterRegistry.start(
              Runtime.getRuntime().availableProcessors(), timer, settings.limits());
      return new Resources(
          timer,
          newCalls(),
          new WatchFanout(routers, settings, FanoutMetrics.NONE, /* firstLoop= */ 0),
          Optional.of(routers));
    }

    static Resources of(WatchFanout shared) {
      return new Resources(newTimer(), newCalls(), shared, Optional.empty());
    }

    private static ScheduledExecutorService newTimer() {
      return Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("http-timer").factory());
    }

    private static Executor newCalls() {
      return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-call-", 0).factory());
    }

    void close() {
      ownRouters.ifPresent(RouterRegistry::close);
      timer.shutdownNow();
    }
  }

  /**
   * Creates a server of a catalog, which does not listen yet.
   *
   * @param address address to listen on; port 0 takes a free port
   * @param tls null for plaintext
   * @param writes null to refuse writes
   * @param fanoutSettings settings of watches, and waits of lists
   * @throws IOException if a file of {@code tls} is unusable, with the cause in one line
   */
  public HttpServer(
      InetSocketAddress address,
      @Nullable TlsFiles tls,
      ResourceCatalog catalog,
      @Nullable WriteBackend writes,
      TimeSource time,
      HttpSettings settings,
      FanoutSettings fanoutSettings)
      throws IOException {
    this(address, tls, catalog, writes, time, settings, fanoutSettings, _ -> {});
  }

  /**
   * Creates the same server, which reports the bytes that its connections have not taken yet.
   *
   * @param unsentBytes gets each change
   */
  // Eight parameters: no two of the others have a subject in common.
  HttpServer(
      InetSocketAddress address,
      @Nullable TlsFiles tls,
      ResourceCatalog catalog,
      @Nullable WriteBackend writes,
      TimeSource time,
      HttpSettings settings,
      FanoutSettings fanoutSettings,
      IntConsumer unsentBytes)
      throws IOException {
    this(address, tls, time, settings, Resources.ofOwnFanout(fanoutSettings), unsentBytes);
    SandboxWriteHandler writeHandler =
        writes == null ? null : new SandboxWriteHandler(writes, time, settings.maxBodyBytes());
    server.setHandler(
        new ChunkedResponse.Requests(
            new SandboxRouter(
                catalog,
                new SandboxReadHandler(
                    catalog, writeHandler, reads(time), resources.fanout().routers().shared()))));
  }

  /**
   * Creates a server that answers reads from caches and relays the others, which does not listen
   * yet.
   *
   * @param address address to listen on; port 0 takes a free port
   * @param tls null for plaintext
   * @throws IOException if a file of {@code tls} is unusable, with the cause in one line
   */
  public HttpServer(
      InetSocketAddress address,
      @Nullable TlsFiles tls,
      ProxyContext context,
      TimeSource time,
      HttpSettings settings)
      throws IOException {
    this(address, tls, context, time, settings, new Handler.Sequence());
  }

  /**
   * Creates the same server, which first offers each request to another handler.
   *
   * @param preceding handler of other paths than those of the Kubernetes API
   */
  public HttpServer(
      InetSocketAddress address,
      @Nullable TlsFiles tls,
      ProxyContext context,
      TimeSource time,
      HttpSettings settings,
      Handler preceding)
      throws IOException {
    this(
        address,
        tls,
        time,
        settings,
        Resources.of(context.fanout()),
        context.metrics()::unsentBytesChanged);
    server.setHandler(
        new ChunkedResponse.Requests(
            new Handler.Sequence(
                preceding,
                new ProxyHandler(context, reads(time), resources.calls(), resources.timer()))));
    server.setErrorHandler(
        new PlainTextErrors(
            exchange -> {
              exchange.source(AnswerSource.GATEWAY);
              if (exchange.request().getAttribute(ProxyHandler.SEEN) == null) {
                context
                    .metrics()
                    .answered(
                        "other",
                        AnswerSource.GATEWAY,
                        String.valueOf(exchange.response().getStatus()));
              }
            }));
  }

  private HttpServer(
      InetSocketAddress address,
      @Nullable TlsFiles tls,
      TimeSource time,
      HttpSettings settings,
      Resources resources,
      IntConsumer unsentBytes)
      throws IOException {
    this.address = address;
    this.settings = settings;
    this.resources = resources;
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
    threads.setName("http");
    threads.setDaemon(true);
    threads.setVirtualThreadsExecutor(resources.calls());
    server = new Server(threads);
    try {
      connector = new ServerConnector(server, 1, 1, protocols(tls, unsentBytes));
    } catch (IOException e) {
      resources.close();
      throw e;
    }
    connector.setHost(address.getHostString());
    connector.setPort(address.getPort());
    connector.setIdleTimeout(settings.idleTimeout().toMillis());
    // By default a drain would cut each connection that is quiet for a second.
    connector.setShutdownIdleTimeout(settings.idleTimeout().toMillis());
    server.addConnector(connector);
    server.setErrorHandler(new PlainTextErrors(_ -> {}));
    watches = new HttpWatches(settings, resources.fanout(), time);
  }

  private ResourceReads reads(TimeSource time) {
    return new ResourceReads(watches, resources.fanout(), time, settings);
  }

  private ConnectionFactory[] protocols(@Nullable TlsFiles tls, IntConsumer unsentBytes)
      throws IOException {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HttpSettings.MAX_HEADER_BYTES);
    // namespaces//configmaps is a path that clients build, and that an apiserver accepts.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with("WATCHGATE", UriCompliance.Violation.AMBIGUOUS_EMPTY_SEGMENT));
    HttpConnectionFactory http1 = new ChunkedResponse.Connections(http);
    if (tls == null) {
      HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
      limit(http2);
      return new ConnectionFactory[] {http1, http2};
    }
    // Jetty would refuse hosts that the certificate does not name. Clients check the name anyway:
    // the name that they expect, which behind a port-forward is not the host of the address.
    http.addCustomizer(new SecureRequestCustomizer(/* sniHostCheck= */ false));
    HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
    limit(http2);
    ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(http1.getProtocol());
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    TlsContext context = new TlsContext(tls, InstantSource.system());
    ssl.setSslContext(context.current());
    ssl.setIncludeProtocols(tls.protocols().toArray(String[]::new));
    ssl.setWantClientAuth(tls.clients() == TlsFiles.Clients.REQUESTED);
    long interval = ReloadingPem.SERVER_INTERVAL.toSeconds();
    var _ =
        resources
            .timer()
            .scheduleWithFixedDelay(
                () -> context.reload(ssl, resources.calls()), interval, interval, TimeUnit.SECONDS);
    return new ConnectionFactory[] {
      new WatchFrameBatch.TlsConnections(ssl, alpn.getProtocol(), unsentBytes), alpn, http2, http1
    };
  }

  private static void limit(AbstractHTTP2ServerConnectionFactory http2) {
    http2.setMaxConcurrentStreams(HttpSettings.MAX_STREAMS_PER_CONNECTION);
    http2.setRateControlFactory(
        new WindowRateControl.Factory(HttpSettings.MAX_RESETS_PER_SECOND_OF_CONNECTION));
  }

  /**
   * Begins to serve.
   *
   * @throws IOException if the server cannot listen on the address, with the cause in one line
   */
  public void start() throws IOException {
    try {
      server.start();
    } catch (Exception e) {
      close();
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new IOException(
          "cannot listen on %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), cause.getMessage()),
          e);
    }
  }

  /** Returns the port of the server after its start. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Returns the event loops of the watches. */
  public List<StreamLoop> streamLoops() {
    return watches.streamLoops();
  }

  /** Returns the number of open watches. */
  public int watches() {
    return watches.count();
  }

  /**
   * Ends all watches cleanly, one after the other. Connections are closed with their next answer,
   * by HTTP/2 once they have no request, and no new ones are accepted, so that the clients reach
   * another replica. Does not wait for them.
   *
   * @param delay time before the first, in which other replicas and load balancers learn of it
   * @param within time between the first and the last
   */
  public void drain(Duration delay, Duration within) {
    if (closed.get()) {
      return; // it could not listen
    }
    watches.drain(delay, within);
    var _ =
        resources
            .timer()
            .schedule(() -> shutDownConnections(within), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void shutDownConnections(Duration within) {
    // GOAWAY over HTTP/2: a client would keep its watches on the connection that it has.
    var _ = Graceful.shutdown(connector);
    endRelayedWatches(within);
  }

  private void endRelayedWatches(Duration within) {
    server.getDescendants(ProxyHandler.class).forEach(handler -> handler.endRelayedWatches(within));
  }

  /** Waits until each request is answered, a watch by its end. */
  public void awaitDrained(Duration atMost) throws InterruptedException {
    long began = System.nanoTime();
    watches.awaitEnd(atMost);
    Duration left = atMost.minusNanos(System.nanoTime() - began);
    for (ProxyHandler handler : server.getDescendants(ProxyHandler.class)) {
      handler.awaitAnswers(left);
    }
  }

  /** Ends open watches cleanly, then the server. */
  @Override
  public void close() {
    closeWithin(HttpWatches.CLOSE_TIMEOUT);
  }

  /**
   * Closes with another time for the last bytes of open watches than {@link
   * HttpWatches#CLOSE_TIMEOUT}: a test of these bytes waits longer, on a loaded machine.
   */
  void closeWithin(Duration atMost) {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    endRelayedWatches(Duration.ZERO);
    watches.finish(atMost);
    try {
      awaitDrained(atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the HTTP server did not stop", e);
    } finally {
      watches.close();
      resources.close();
    }
  }

  /** Error handler for requests that no handler answers; its answers are plain text. */
  private static final class PlainTextErrors extends ErrorHandler {
    private final Consumer<ApiExchange> onRefusal;

    /**
     * @param onRefusal called before the answer is sent
     */
    PlainTextErrors(Consumer<ApiExchange> onRefusal) {
      this.onRefusal = onRefusal;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      int code = response.getStatus();
      String reason = request.getAttribute(ERROR_MESSAGE) instanceof String text ? text : "refused";
      ApiExchange exchange =
          ApiExchange.of(request, ChunkedResponse.of(request, response), callback);
      onRefusal.accept(exchange);
      exchange.text(code, code + ": " + reason + "\n");
      return true;
    }
  }
}
