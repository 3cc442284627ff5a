package io.watchgate.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.grpc.GatewayContext;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.grpc.NettyMemory;
import io.watchgate.grpc.ServedTypes;
import io.watchgate.grpc.ServerTls;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeCluster;
import io.watchgate.ops.CacheCounters;
import io.watchgate.ops.CacheGauges;
import io.watchgate.ops.FanoutCounters;
import io.watchgate.ops.FanoutGauges;
import io.watchgate.ops.GatewayGauges;
import io.watchgate.ops.HeapGauges;
import io.watchgate.ops.HeapMonitor;
import io.watchgate.ops.OpsServer;
import io.watchgate.ops.PauseMonitor;
import io.watchgate.ops.ProcessGauges;
import io.watchgate.ops.StreamGauges;
import io.watchgate.ops.TlsGauges;
import io.watchgate.ops.pages.StatusPage;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Complete gateway in one process. The probes are served first. Then the port of gRPC is opened,
 * where every call is refused with STARTING, and the apiserver is asked for the identity of the
 * cluster until it answers. Then streams are served.
 */
public final class Gateway implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  private final String serverId = serverId();
  private final GatewaySettings settings;

  /** Null if streams are not balanced. */
  private final @Nullable BalancerLifecycle balancing;

  /** Null for plaintext. */
  private final @Nullable ServerTls tls;

  private final KubeCluster cluster;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final FanoutCounters metrics = new FanoutCounters(registry);
  private final ScheduledExecutorService timer = timer();
  private final OperatorPages pages = new OperatorPages(registry, timer);
  private final TypeRegistry types;
  private final HeapBudget heap;
  private final HeapMonitor heapMonitor;
  private final RouterRegistry routers;
  private final GatewayStreamLimiter streamLimiter;
  private final AccessComposition access;
  private final OpsServer ops;
  private final PreloadedTypes preloadedTypes;
  private final Readiness readiness;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final HeapReport heapReport;
  private volatile String clusterId = "";
  private final StreamAdmission typeAdmission;

  /** Null if the Kubernetes read API is not served. */
  private final @Nullable ClientAuthorities clientAuthorities;

  private final @Nullable KubeReadApi kubeApi;

  private volatile @Nullable GatewayServer server;

  /**
   * Creates a gateway and opens the port of the probes; sends no request to the apiserver yet.
   *
   * @throws ConfigException if the apiserver's TLS cannot be set up
   * @throws IOException if the heap is too small, the port of the probes is taken, or a file of the
   *     server's TLS cannot be used
   */
  public Gateway(ClientConfig access, GatewaySettings settings)
      throws ConfigException, IOException {
    this.settings = settings;
    this.tls = settings.tls().isPresent() ? new ServerTls(settings.tls().get()) : null;
    this.balancing =
        settings.balance().isPresent()
            ? new BalancerLifecycle(settings.balance().get(), access, settings.kube())
            : null;
    this.cluster = KubeCluster.of(access, settings.kube(), System::nanoTime);
    this.types =
        new TypeRegistry(
            cluster,
            settings.cache(),
            TimeSource.SYSTEM,
            timer,
            // Not virtual: parsing a list of 100,000 objects would block a carrier thread for all
            // calls.
            Thread.ofPlatform().daemon().factory(),
            definition -> SelectableFields.of(definition).paths(),
            new CacheCounters(registry, pages.upstreamEvents())::ofType);
    this.heap = types.heap();
    heapReport =
        new HeapReport(
            heap,
            settings.cache(),
            settings.fanout().limits(),
            settings.streams(),
            NettyMemory.maxDirectBytes());
    heapReport.requireSufficientHeap();
    heapReport.logWarnings();
    this.preloadedTypes = new PreloadedTypes(cluster, types, ClusterIdentity.FIRST_WAIT);
    this.readiness = new Readiness(preloadedTypes::checks);
    this.streamLimiter = new GatewayStreamLimiter(settings.streams());
    CacheGauges.register(registry, types);
    int cores = Runtime.getRuntime().availableProcessors();
    this.routers = RouterRegistry.start(cores, timer, settings.fanout().limits());
    this.heapMonitor = watchHeap(settings);
    this.clientAuthorities = clientAuthorities(access);
    this.access =
        new AccessComposition(
            settings.access(), access, settings.kube(), this::isTrusted, registry);
    ProcessGauges.register(registry, NettyMemory::directBytes);
    GatewayGauges.register(registry, version(), readiness::isReady, () -> closing.getCount() == 0);
    PauseMonitor.start(registry, TimeSource.SYSTEM, timer);
    StreamGauges.register(
        registry,
        settings.streams()::total,
        settings.streams()::perClient,
        streamLimiter::usedSlots,
        streamLimiter::maxUsedByOneClient);
    FanoutGauges.register(registry, routers, settings.fanout().limits());
    StreamGauges.registerReplicas(registry, this::replicas);
    if (tls != null) {
      TlsGauges.register(registry, tls::expiry, tls::isRejected);
      tls.startReloading(timer);
    }
    this.typeAdmission = new StreamAdmission(types);
    this.ops = startListening();
    this.kubeApi = newKubeApi(access);
    ops.start();
  }

  /**
   * Registers the memory that the types do not count themselves, and checks the heap every 100 ms.
   */
  private HeapMonitor watchHeap(GatewaySettings settings) {
    heap.register(
        "streams",
        GatewayStreamLimits.STREAM_BYTES * settings.streams().total(),
        () -> GatewayStreamLimits.STREAM_BYTES * streamLimiter.usedSlots());
    heap.register(
        "snapshots",
        HeapReport.snapshotHeap(settings.fanout().limits().snapshotBytes()),
        routers::snapshotHeapBytes);
    heap.register(
        "responses", GatewayServer.unreadUnaryBytesLimit(heap.heap()), this::unreadUnaryBytes);
    if (settings.kubeApi().isPresent()) {
      heap.register("answers", AnswerMemory.ofHeap(heap.heap()).limit(), this::answerBytes);
    }
    HeapGauges.register(registry, types);
    var _ = timer.scheduleWithFixedDelay(this::updateHeapUse, 100, 100, TimeUnit.MILLISECONDS);
    return HeapMonitor.start(heap);
  }

  /** Catches exceptions, because a periodic task that throws would not run again. */
  private void updateHeapUse() {
    try {
      heap.updateUsage();
    } catch (RuntimeException e) {
      log.error("the use of the heap was not updated; trying again in 100 ms", e);
    }
  }

  private long answerBytes() {
    KubeReadApi api = kubeApi;
    return api == null ? 0 : api.answers().used();
  }

  private long unreadUnaryBytes() {
    GatewayServer started = server;
    return started == null ? 0 : started.unreadUnaryBytes();
  }

  /**
   * Removes cancelled tasks at once, so that an ended stream keeps no timer, not even the one of a
   * {@code max_staleness} of days.
   */
  static ScheduledExecutorService timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().daemon().name("timer").factory(),
            // Tasks scheduled after the shutdown are dropped.
            new ThreadPoolExecutor.DiscardPolicy());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private @Nullable KubeReadApi newKubeApi(ClientConfig config)
      throws ConfigException, IOException {
    if (settings.kubeApi().isEmpty()) {
      return null;
    }
    return new KubeReadApi(
        settings.kubeApi().get(),
        settings,
        config,
        new KubeReadApi.Shared(
            serverId,
            this::isTrustedByKubeApi,
            cluster,
            types,
            servedTypes()::isServed,
            typeAdmission,
            access.accessController(),
            access.auditLog(),
            pages.recentStreams(),
            streamLimiter,
            routers,
            metrics),
        registry);
  }

  private @Nullable ClientAuthorities clientAuthorities(ClientConfig config)
      throws ConfigException, IOException {
    Optional<ClientAuthoritySource> authority =
        settings.kubeApi().flatMap(KubeApiSettings::clients);
    return authority.isEmpty()
        ? null
        : ClientAuthorities.of(authority.get(), config, settings.kube());
  }

  private boolean isTrusted(Credentials.Certificate shown) {
    return switch (shown.port()) {
      case GRPC -> tls != null && tls.trusts(shown.chain());
      case KUBERNETES_API -> isTrustedByKubeApi(shown.chain());
    };
  }

  private boolean isTrustedByKubeApi(List<X509Certificate> chain) {
    return clientAuthorities != null && clientAuthorities.trusts(chain);
  }

  private ServedTypes servedTypes() {
    return new ServedTypes(cluster, preloadedTypes::isPreloaded);
  }

  private OpsServer startListening() throws IOException {
    try {
      return new OpsServer(
          settings.httpListen(),
          registry,
          readiness::checks,
          access.metricsAuthorizer(),
          pages.of(
              new StatusPage(this::status, settings.flags()),
              this::streamLoops,
              types,
              routers,
              access.accessController()),
          access.pageAuthorizer());
    } catch (IOException e) {
      if (balancing != null) {
        balancing.close();
      }
      throw portTaken("--http-listen", settings.httpListen(), e);
    }
  }

  /**
   * Adds address and option to the error: the JDK names no address, and gRPC has the reason only in
   * the cause.
   */
  private static IOException portTaken(
      String option, InetSocketAddress address, IOException failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return new IOException(
        "cannot listen on "
            + address.getHostString()
            + ":"
            + address.getPort()
            + " ("
            + String.valueOf(cause.getMessage()).replaceFirst("^bind.*: ", "")
            + "); name another address with "
            + option
            + ", or stop the program that listens there",
        failure);
  }

  /**
   * Listens, waits until the apiserver has named the cluster, and serves. Until then every call is
   * refused with STARTING.
   *
   * @throws IOException if the gRPC port is taken
   */
  public void start() throws IOException, InterruptedException {
    CompletableFuture<Boolean> laneWorks =
        Warmup.start(); // in parallel with the apiserver's answer
    GatewayServer started = listen();
    clusterId =
        new ClusterIdentity(cluster, settings.clusterName(), closing, ClusterIdentity.FIRST_WAIT)
            .await(this::reportWaiting);
    for (TypeReference name : settings.types()) {
      preloadedTypes.keep(name);
    }
    useLane(settings.lane(), laneWorks.join(), started::useLane);
    access.start(timer, cluster, types);
    if (clientAuthorities != null) {
      clientAuthorities.start(timer);
    }
    synchronized (closing) {
      if (closing.getCount() == 0) {
        throw new InterruptedException("closed while starting");
      }
      started.serve(clusterId);
      if (kubeApi != null) {
        startKubeApi(kubeApi, started);
      }
      readiness.markReady();
      if (balancing != null) {
        balancing.start(
            serverId, started, () -> kubeApi == null ? 0 : kubeApi.watches(), readiness::isReady);
      }
    }
  }

  private void startKubeApi(KubeReadApi api, GatewayServer started) throws IOException {
    try {
      api.start(started);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; name another address with --kube-listen, or stop the program that listens there",
          e);
    }
  }

  /** Returns the port of the Kubernetes read API, once started; empty if it is not served. */
  public OptionalInt kubePort() {
    return kubeApi == null ? OptionalInt.empty() : OptionalInt.of(kubeApi.port());
  }

  /** Returns a line, once started: version, cluster, server id, callers, JDK, heap and types. */
  public String description() {
    return "watchgate %s for cluster %s, server id %s, callers are %s, JDK %s; %s; types kept open: %s"
        .formatted(
            version(),
            clusterId,
            serverId,
            settings.access().auth().isOpenToAll() ? "not authenticated" : "authenticated",
            Runtime.version(),
            heapReport.line(),
            preloadedTypes.description());
  }

  /**
   * Lets streams use the lane if it is wanted and works, and logs the result.
   *
   * @param works result of {@link Warmup}
   */
  static void useLane(GatewaySettings.Lane wanted, boolean works, Runnable use) {
    if (wanted == GatewaySettings.Lane.OFF) {
      return;
    }
    if (works) {
      use.run();
      log.info(
          "responses are written directly to connections (the lane), not by gRPC; the test of that"
              + " on a loopback connection succeeded");
    } else {
      log.warn(
          "all responses are sent by gRPC, at a higher cost of CPU: the test of the lane on a"
              + " loopback connection failed or took too long; restart to try again, or silence"
              + " this with --no-lane");
    }
  }

  private GatewayServer listen() throws IOException, InterruptedException {
    GatewayServer started =
        new GatewayServer(
            new GatewayContext(
                new GatewayContext.Identity(serverId, version()),
                new GatewayContext.Types(cluster, types, servedTypes(), typeAdmission),
                new GatewayContext.Access(
                    access.accessController(),
                    access.auditLog(),
                    streamLimiter,
                    pages.recentStreams()),
                new GatewayContext.Delivery(
                    routers, settings.fanout(), TimeSource.SYSTEM, metrics)),
            settings.listen(),
            tls);
    if (settings.lane() == GatewaySettings.Lane.ON) {
      started.prepareLane();
    }
    try {
      started.start();
    } catch (IOException e) {
      started.close();
      throw portTaken("--listen", settings.listen(), e);
    }
    StreamGauges.registerRequests(
        registry, started::incompleteBytesLimit, started::incompleteBytes);
    StreamGauges.registerConnections(
        registry,
        started::connections,
        started::connectionsPaused,
        started::connectionsReset,
        started::connectionsDead,
        started::connectionsUnread);
    StreamGauges.registerResponses(
        registry, started::unreadUnaryBytesLimit, started::unreadUnaryBytes);
    StreamGauges.registerLane(
        registry,
        () -> started.laneCounts().alone(),
        () -> started.laneCounts().grouped(),
        () -> started.laneCounts().grpc(),
        started::connectionsWithoutLane);
    synchronized (closing) {
      if (closing.getCount() == 0) {
        started.close();
        throw new InterruptedException("closed while starting");
      }
      server = started;
    }
    return started;
  }

  /** Logs the reason for waiting once until it changes. */
  private void reportWaiting(UpstreamFailure failure) {
    String help =
        failure instanceof UpstreamFailure.Unauthorized
            ? "; renew the credentials with which the gateway calls it"
            : "";
    String reason = "waiting for the apiserver: " + failure.message() + help;
    if (readiness.markNotReady(reason)) {
      log.warn("{}; trying again every few seconds", reason);
    }
  }

  private int replicas() {
    return balancing == null ? 1 : balancing.replicas();
  }

  private StatusPage.Status status() {
    return new StatusPage.Status(
        version(),
        serverId,
        clusterId,
        readiness.notReadyReason(),
        streamLimiter.usedSlots(),
        replicas());
  }

  /** Returns the event loops of all streams that are served now. */
  private List<StreamLoop> streamLoops() {
    List<StreamLoop> loops = new ArrayList<>();
    GatewayServer started = server;
    if (started != null) {
      loops.addAll(started.streamLoops());
    }
    if (kubeApi != null) {
      loops.addAll(kubeApi.streamLoops());
    }
    return loops;
  }

  /** Returns the port of gRPC, once started. */
  public int port() {
    GatewayServer started = server;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started.port();
  }

  public int httpPort() {
    return ops.port();
  }

  private static String version() {
    String version = Gateway.class.getPackage().getImplementationVersion();
    return version == null ? "0" : version;
  }

  /**
   * Returns a random name of this process, prefixed with the host name (of a pod, for example) so
   * that operators recognize it. The name is valid as a part of a Kubernetes name.
   */
  private static String serverId() {
    String name = System.getenv().getOrDefault("HOSTNAME", "").toLowerCase(Locale.ROOT);
    String plain = name.replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    String host = plain.isEmpty() ? "watchgate" : plain.substring(0, Math.min(63, plain.length()));
    byte[] random = new byte[4];
    ThreadLocalRandom.current().nextBytes(random);
    return host + "-" + HexFormat.of().formatHex(random);
  }

  private static void closeKubeApi(KubeReadApi api, Duration left) {
    try {
      api.awaitDrained(left.isNegative() ? Duration.ZERO : left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      api.close();
    }
  }

  /** Ends readiness, sends GOING_AWAY to all streams, and closes. A second call has no effect. */
  @Override
  public void close() {
    synchronized (closing) {
      if (closing.getCount() == 0) {
        return;
      }
      closing.countDown();
    }
    readiness.markNotReady("shutting down");
    if (balancing != null) {
      balancing.startWithdrawal();
    }
    long drainEnd = System.nanoTime() + settings.drain().toNanos();
    typeAdmission.drain();
    if (kubeApi != null) {
      kubeApi.drain(settings.drain());
    }
    GatewayServer started = server;
    if (started != null) {
      try {
        started.drain(settings.drain());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        started.close();
      }
    }
    if (kubeApi != null) {
      closeKubeApi(kubeApi, Duration.ofNanos(drainEnd - System.nanoTime()));
    }
    if (balancing != null) {
      balancing.close();
    }
    access.close();
    if (clientAuthorities != null) {
      clientAuthorities.close();
    }
    heapMonitor.close();
    preloadedTypes.close();
    types.close();
    routers.close();
    timer.shutdownNow();
    cluster.close();
    ops.close();
  }
}
