package io.watchgate.http;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server of a {@link ResourceCatalog} on one address: HTTP/1.1 and HTTP/2, without TLS by
 * prior knowledge, with TLS by ALPN. Thread-safe. Its threads are daemons, so the code that starts
 * it has to keep the process alive.
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
  private final RouterRegistry routers;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("http-timer").factory());
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a server that does not listen yet.
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
    this.address = address;
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
    threads.setName("http");
    threads.setDaemon(true);
    threads.setVirtualThreadsExecutor(
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-call-", 0).factory()));
    server = new Server(threads);
    connector = new ServerConnector(server, 1, 1, protocols(tls));
    connector.setHost(address.getHostString());
    connector.setPort(address.getPort());
    connector.setIdleTimeout(settings.idleTimeout().toMillis());
    server.addConnector(connector);
    server.setErrorHandler(new PlainTextErrors());
    routers =
        RouterRegistry.start(
            Runtime.getRuntime().availableProcessors(), timer, fanoutSettings.limits());
    WatchFanout fanout = new WatchFanout(routers, fanoutSettings, FanoutMetrics.NONE, 0);
    watches = new HttpWatches(settings, fanout, time);
    WriteHandler writeHandler =
        writes == null ? null : new WriteHandler(writes, time, settings.maxBodyBytes());
    server.setHandler(
        new ApiHandler(
            catalog,
            new ResourceHandler(
                catalog,
                writeHandler,
                new ResourceReads(watches, fanout, time, settings),
                routers.shared())));
  }

  private static ConnectionFactory[] protocols(@Nullable TlsFiles tls) throws IOException {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HttpSettings.MAX_HEADER_BYTES);
    // namespaces//configmaps is a path that clients build, and that an apiserver accepts.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with("WATCHGATE", UriCompliance.Violation.AMBIGUOUS_EMPTY_SEGMENT));
    HttpConnectionFactory http1 = new HttpConnectionFactory(http);
    if (tls == null) {
      HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
      http2.setMaxConcurrentStreams(HttpSettings.MAX_STREAMS_PER_CONNECTION);
      return new ConnectionFactory[] {http1, http2};
    }
    HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
    http2.setMaxConcurrentStreams(HttpSettings.MAX_STREAMS_PER_CONNECTION);
    ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(http1.getProtocol());
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    ssl.setSslContext(tls.context());
    return new ConnectionFactory[] {
      new SslConnectionFactory(ssl, alpn.getProtocol()), alpn, http2, http1
    };
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

  /** Ends open watches cleanly, then the server. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    watches.finish();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the HTTP server did not stop", e);
    } finally {
      watches.close();
      routers.close();
      timer.shutdownNow();
    }
  }

  /** Error handler for requests that are refused before they are parsed; answers in plain text. */
  private static final class PlainTextErrors extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      int code = response.getStatus();
      String why = request.getAttribute(ERROR_MESSAGE) instanceof String text ? text : "refused";
      Exchange.of(request, response, callback).text(code, code + ": " + why + "\n");
      return true;
    }
  }
}
