package io.watchgate.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.admission.DrainPace;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessController;
import io.watchgate.browser.BrowserHandler;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.grpc.ServerTls;
import io.watchgate.http.HttpServer;
import io.watchgate.http.LocalHostHandler;
import io.watchgate.http.ProxyContext;
import io.watchgate.http.TlsFiles;
import io.watchgate.http.WatchFanout;
import io.watchgate.kube.ApiserverRelay;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.ops.ProxyCounters;
import io.watchgate.ops.StreamGauges;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;

/**
 * Kubernetes read API of a gateway: a caching proxy over the caches, the fan-out, the limits and
 * the audit log that its streams over gRPC use as well.
 */
final class KubeReadApi implements AutoCloseable {
  private final ApiserverRelay client;
  private final HttpServer server;
  private final BrowserHandler browsers;
  private final int maxBrowserStreams;
  private final AnswerMemory answers;

  /** Parts of the gateway that both APIs use. */
  record Shared(
      String serverId,
      Predicate<List<X509Certificate>> certificates,
      Cluster cluster,
      TypeRegistry types,
      Predicate<ApiResource> isServed,
      StreamAdmission admission,
      AccessController access,
      AuditLog audit,
      EndedStreams endedStreams,
      GatewayStreamLimiter streams,
      RouterRegistry routers,
      FanoutMetrics metrics) {}

  /**
   * Creates a server that does not listen yet.
   *
   * @param access access, of which only address, authorities and proxy are used
   * @throws ConfigException if the apiserver's TLS cannot be set up
   * @throws IOException if a TLS file of the server cannot be used
   */
  KubeReadApi(
      KubeApiSettings api,
      GatewaySettings settings,
      ClientConfig access,
      Shared shared,
      PrometheusRegistry registry)
      throws ConfigException, IOException {
    client = ApiserverRelay.of(access, settings.kube());
    browsers = new BrowserHandler(api.browsers(), shared.certificates());
    maxBrowserStreams = api.browsers().maxStreams();
    StreamGauges.registerBrowsers(
        registry, api.browsers()::maxStreams, browsers::openStreams, browsers::openBodies);
    answers = AnswerMemory.ofHeap(shared.types.heap().heap());
    StreamGauges.registerAnswers(registry, answers::limit, answers::used);
    GatewayStreamLimiter relays =
        new GatewayStreamLimiter(
            new GatewayStreamLimits(api.proxy().maxRelays(), api.proxy().maxRelaysPerClient()));
    ProxyContext context =
        new ProxyContext(
            new ProxyContext.Types(
                shared.cluster,
                type -> shared.types.find(type) != null,
                shared.isServed,
                shared.admission::admit),
            new ProxyContext.Access(
                shared.access,
                shared.certificates,
                limit(shared.streams),
                answers,
                limit(relays),
                new ProxyAuditLog(shared.audit, shared.serverId),
                shared.endedStreams),
            new WatchFanout(
                shared.routers,
                settings.fanout(),
                shared.metrics,
                /* firstLoop= */ Runtime.getRuntime().availableProcessors()),
            client,
            new ProxyCounters(registry),
            api.proxy());
    try {
      server =
          new HttpServer(
              api.listen(),
              tls(settings.tls().orElse(null), clients(api)),
              context,
              TimeSource.SYSTEM,
              api.http().withMaxWatches(settings.streams().total()),
              precedingHandler(api, settings, context));
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /**
   * On an open port of loopback without TLS, first checks the host name of each request: a web page
   * could come from a host whose name resolves to 127.0.0.1. With TLS the certificate does not have
   * that name.
   */
  private Handler precedingHandler(
      KubeApiSettings api, GatewaySettings settings, ProxyContext context) {
    boolean isOpen =
        settings.tls().isEmpty()
            && !context.access().controller().settings().identification().isEnabled();
    return isOpen && isLoopback(api.listen())
        ? new Handler.Sequence(new LocalHostHandler(context.metrics()), browsers)
        : browsers;
  }

  private static boolean isLoopback(InetSocketAddress listen) {
    InetAddress address = listen.getAddress();
    return address != null && address.isLoopbackAddress();
  }

  private static @Nullable TlsFiles tls(ServerTls.@Nullable Files files, TlsFiles.Clients clients) {
    return files == null
        ? null
        : new TlsFiles(files.certificate(), files.key(), files.minVersion().protocols(), clients);
  }

  private static TlsFiles.Clients clients(KubeApiSettings api) {
    return api.clients().isPresent() ? TlsFiles.Clients.REQUESTED : TlsFiles.Clients.NOT_REQUESTED;
  }

  private static ProxyContext.SlotLimit limit(GatewayStreamLimiter limiter) {
    return remote -> limiter.acquire(remote)::release;
  }

  /**
   * Begins to serve.
   *
   * @param streams server of the streams of browsers
   * @throws IOException if the server cannot listen on the address, with the cause in one line
   */
  void start(GatewayServer streams) throws IOException {
    browsers.serve(streams.callStarter(maxBrowserStreams));
    server.start();
  }

  int port() {
    return server.port();
  }

  /** Returns the event loops of the watches from caches. */
  List<StreamLoop> streamLoops() {
    return server.streamLoops();
  }

  /** Returns the memory of lists and gets that are being sent. */
  AnswerMemory answers() {
    return answers;
  }

  /** Returns the number of open watches from caches. */
  int watches() {
    return server.watches();
  }

  /**
   * Begins to end all watches one by one, at the pace of the gRPC streams.
   *
   * @param atMost time in which all are asked to come back
   */
  void drain(Duration atMost) {
    DrainPace pace = DrainPace.of(atMost);
    server.drain(pace.delay(), pace.spread(server.watches()));
  }

  /** Waits until each request is answered, a watch by its end. */
  void awaitDrained(Duration atMost) throws InterruptedException {
    server.awaitDrained(atMost);
  }

  /** Ends open watches cleanly, then the server. */
  @Override
  public void close() {
    server.close();
    client.close();
  }
}
