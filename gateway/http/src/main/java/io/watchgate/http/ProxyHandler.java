package io.watchgate.http;

import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.UserResources;
import io.watchgate.fanout.VersionWait;
import io.watchgate.http.ProxyAudit.AuditedRead;
import io.watchgate.http.ProxyMetrics.Source;
import io.watchgate.http.ProxyRoute.FromCache;
import io.watchgate.http.ProxyRoute.ToApiserver;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler of a caching proxy before an apiserver. It answers reads from the caches of a gateway if
 * the caller may read them, and relays all others. If the cache cannot answer, or a limit of the
 * gateway is reached, the apiserver gives the answer. Called on virtual threads, which may block.
 */
final class ProxyHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyHandler.class);
  private static final String BEARER = "bearer ";

  private final ProxyContext context;
  private final ProxyRouter router;
  private final RelayHandler relays;
  private final ResourceReads reads;
  private final FanoutSettings loadWait;
  private final Executor threads;

  /**
   * @param threads one thread per task, which may block
   * @param timer runs short tasks
   */
  ProxyHandler(
      ProxyContext context, ResourceReads reads, Executor threads, ScheduledExecutorService timer) {
    this.context = context;
    this.router = new ProxyRouter(context.types(), context.settings());
    this.relays = new RelayHandler(context, timer);
    this.reads = reads;
    this.threads = threads;
    FanoutSettings common = context.fanout().settings();
    this.loadWait =
        new FanoutSettings(
            context.settings().loadWait(),
            common.upstreamLookupTimeout(),
            common.loadTimeout(),
            common.backfillTimeout(),
            common.streamAge(),
            common.limits());
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Exchange exchange = Exchange.of(request, response, callback);
    answering(exchange, () -> answer(exchange));
    return true;
  }

  /** Task that answers a request. */
  private interface Answering {
    void run() throws StatusException, IOException, InterruptedException;
  }

  private void answering(Exchange exchange, Answering task) {
    try {
      task.run();
    } catch (StatusException e) {
      context.metrics().answered("other", Source.GATEWAY, String.valueOf(e.code()));
      exchange.source(Source.GATEWAY);
      exchange.refuse(e);
    } catch (IOException e) {
      exchange.callback().failed(e); // the client has gone, or the answer ended early
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exchange.callback().failed(e);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", exchange.request().getMethod(), exchange.path(), e);
      if (exchange.response().isCommitted()) {
        exchange.callback().failed(e);
      } else {
        exchange.source(Source.GATEWAY);
        exchange.refuse(StatusErrors.internal());
      }
    }
  }

  private void answer(Exchange exchange) throws StatusException, IOException, InterruptedException {
    switch (router.route(exchange)) {
      case ToApiserver(RelayReason reason) -> relays.relay(exchange, "other", reason);
      case ProxyRoute.EmptyStream _ -> {
        exchange.source(Source.GATEWAY);
        exchange.emptyStream();
      }
      case FromCache route -> {
        Unserved unserved = fromCache(route, exchange);
        if (unserved != null) {
          relays.relay(exchange, route.verb().text(), unserved.reason);
        }
      }
    }
  }

  /** Reason why a cache does not answer. */
  private record Unserved(RelayReason reason) {}

  // ---- from a cache

  /** Answers from the cache; returns null, or why it does not. */
  private @Nullable Unserved fromCache(FromCache route, Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    CompiledSelection selection;
    try {
      selection = selection(route);
    } catch (StatusException e) {
      return new Unserved(RelayReason.PARAMETERS);
    }
    Credentials credentials = credentials(exchange);
    boolean identifies = context.access().controller().settings().identification().isEnabled();
    if (identifies && credentials instanceof Credentials.None) {
      return new Unserved(RelayReason.UNKNOWN_CALLER); // the apiserver may allow no anonymous calls
    }
    Caller caller;
    try {
      caller = context.access().controller().authenticate(credentials, exchange.client());
    } catch (ApiException e) {
      return new Unserved(limitOr(RelayReason.UNKNOWN_CALLER, e));
    }
    AuditedRead audited = audited(route, caller, exchange);
    exchange.source(route.isConsistent() ? Source.PROVEN : Source.CACHE);
    return switch (route.verb()) {
      case GET, LIST -> answerOnce(route, selection, caller, audited, exchange);
      case WATCH -> watch(route, selection, caller, audited, exchange);
    };
  }

  private static CompiledSelection selection(FromCache route) throws StatusException {
    ResourceReads.Read read = route.read();
    SelectableFields fields = SelectableFields.of(read.resource().definition());
    ListOptions options =
        route.options().isPresent() ? route.options().get() : ListOptions.ofObject();
    return ObjectFilter.of(fields, read.path(), options).selection();
  }

  /** A client that gets 429 may give up; relayed requests have a limit of their own. */
  private static RelayReason limitOr(RelayReason other, ApiException e) {
    return e.error().reason() == ErrorReason.ERROR_REASON_QUOTA ? RelayReason.LIMIT : other;
  }

  /**
   * Opens a type; returns null if there is no memory for it.
   *
   * @throws StatusException if the gateway ends
   */
  private @Nullable TypeLease open(ResourceReads.Read read) throws StatusException {
    try {
      return context.types().opener().open(read.resource().definition());
    } catch (ApiException e) {
      if (e.error().reason() == ErrorReason.ERROR_REASON_DRAINING) {
        throw StatusErrors.draining();
      }
      return null;
    }
  }

  private @Nullable Unserved answerOnce(
      FromCache route,
      CompiledSelection selection,
      Caller caller,
      AuditedRead audited,
      Exchange exchange)
      throws StatusException, IOException, InterruptedException {
    ResourceReads.Read read = route.read();
    AccessController controller = context.access().controller();
    try {
      if (route.options().isPresent()) {
        controller.requireList(caller, selection);
      } else {
        controller.requireGet(
            caller, selection.type(), read.path().namespace(), read.path().name());
      }
    } catch (ApiException e) {
      return new Unserved(limitOr(RelayReason.ACCESS, e));
    }
    Runnable onAnswer =
        () -> {
          Source source = route.isConsistent() ? Source.PROVEN : Source.CACHE;
          context.metrics().answered(route.verb().text(), source, "");
          context.access().audit().answered(audited);
        };
    try (TypeLease type = open(read)) {
      if (type == null) {
        return new Unserved(RelayReason.CAPACITY);
      }
      if (!isLoaded(type.cache())) {
        return new Unserved(RelayReason.LOADING);
      }
      try {
        if (route.options().isPresent()) {
          reads.list(read, route.options().get(), type.cache(), exchange, onAnswer);
        } else {
          reads.get(read, type.cache(), exchange, onAnswer);
        }
      } catch (StatusException e) {
        return new Unserved(reason(e));
      }
    }
    return null;
  }

  /** Waits a moment for the first list of the type. */
  private boolean isLoaded(WatchCache cache) throws InterruptedException {
    try {
      var _ = new VersionWait(cache, loadWait).awaitHead(null);
      return true;
    } catch (ApiException e) {
      return false;
    }
  }

  private static RelayReason reason(StatusException refusal) {
    return switch (refusal.code()) {
      case 404 -> RelayReason.ABSENT;
      case 410, 504 -> RelayReason.VERSION;
      case 429 -> RelayReason.NOT_PROVEN;
      default -> RelayReason.PARAMETERS;
    };
  }

  // ---- watches

  private @Nullable Unserved watch(
      FromCache route,
      CompiledSelection selection,
      Caller caller,
      AuditedRead audited,
      Exchange exchange)
      throws StatusException, InterruptedException {
    WatchGrant grant = new WatchGrant();
    AccessController.Admitted admitted;
    try {
      admitted =
          context.access().controller().admit(caller, selection, route.read().wanted(), grant);
    } catch (ApiException e) {
      return new Unserved(limitOr(RelayReason.ACCESS, e));
    }
    Runnable slot;
    try {
      slot = context.access().watches().acquire(exchange.remote());
    } catch (ApiException e) {
      admitted.close();
      return new Unserved(RelayReason.LIMIT);
    }
    ProxiedWatch watch = new ProxiedWatch(route, audited, exchange, admitted, slot);
    boolean handedOver = false;
    try {
      TypeLease type = open(route.read());
      if (type == null) {
        return new Unserved(RelayReason.CAPACITY);
      }
      if (!isLoaded(type.cache())) {
        type.close();
        return new Unserved(RelayReason.LOADING);
      }
      handedOver = true;
      reads
          .watch(
              route.read(),
              route.options().orElseThrow(),
              userResources(caller),
              type,
              exchange,
              watch)
          .ifPresent(grant::attach);
      return null;
    } catch (StatusException e) {
      if (e.code() == StatusErrors.draining().code()) {
        throw e;
      }
      return new Unserved(reason(e));
    } finally {
      if (!handedOver) {
        watch.release();
      }
    }
  }

  private UserResources userResources(Caller caller) {
    AuthSettings auth = context.access().controller().settings();
    return auth.identification().isEnabled()
        ? context.fanout().routers().userResources(caller.user(), auth.quotas().maxUnreadBytes())
        : context.fanout().routers().shared();
  }

  /** Watch that is relayed if the cache turns out not to have its start. */
  private final class ProxiedWatch implements WatchListener {
    private final FromCache route;
    private final AuditedRead audited;
    private final Exchange exchange;
    private final AccessController.Admitted admitted;
    private final Runnable slot;
    private final long createdAt = System.nanoTime();
    private boolean begun;

    ProxiedWatch(
        FromCache route,
        AuditedRead audited,
        Exchange exchange,
        AccessController.Admitted admitted,
        Runnable slot) {
      this.route = route;
      this.audited = audited;
      this.exchange = exchange;
      this.admitted = admitted;
      this.slot = slot;
    }

    void release() {
      admitted.close();
      slot.run();
    }

    @Override
    public void begun() {
      begun = true;
      context.metrics().answered("watch", route.isConsistent() ? Source.PROVEN : Source.CACHE, "");
      context.access().audit().opened(audited);
    }

    @Override
    public void ended(ErrorReason reason, long bytes) {
      release();
      if (begun) {
        Duration lasted = Duration.ofNanos(System.nanoTime() - createdAt);
        context.access().audit().ended(audited, reason, lasted, bytes);
      }
    }

    @Override
    public void refused(ApiError error) {
      if (error.reason() == ErrorReason.ERROR_REASON_HISTORY_LOST) {
        // The apiserver would accept the version, and be silent until it is reached again.
        exchange.frame(WatchEventFormat.error(StatusErrors.lostHistory()));
        return;
      }
      RelayReason reason =
          switch (error.reason()) {
            case ERROR_REASON_TOO_STALE -> RelayReason.NOT_PROVEN;
            case ERROR_REASON_ACCESS_DENIED,
                ERROR_REASON_CREDENTIALS_INVALID,
                ERROR_REASON_CREDENTIALS_EXPIRED ->
                RelayReason.ACCESS;
            case ERROR_REASON_MEMORY, ERROR_REASON_QUOTA -> RelayReason.CAPACITY;
            default -> RelayReason.VERSION;
          };
      threads.execute(() -> answering(exchange, () -> relays.relay(exchange, "watch", reason)));
    }
  }

  // ---- callers

  private static Credentials credentials(Exchange exchange) {
    List<String> sent = exchange.request().getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
    if (sent.isEmpty()) {
      return new Credentials.None();
    }
    String value = Objects.requireNonNull(sent.getFirst());
    String token =
        value.toLowerCase(Locale.ROOT).startsWith(BEARER)
            ? value.substring(BEARER.length()).strip()
            : "";
    return token.isEmpty()
        ? new Credentials.Unusable(AccessErrors.NOT_A_BEARER)
        : new Credentials.ApiserverToken(token);
  }

  private static AuditedRead audited(FromCache route, Caller caller, Exchange exchange) {
    ResourceReads.Read read = route.read();
    return new AuditedRead(
        route.verb(),
        caller,
        exchange.remoteAddress(),
        exchange.remotePort(),
        exchange.header(HttpHeader.USER_AGENT),
        ResourceIndex.type(read.resource()),
        read.path().namespace(),
        exchange.query().text("labelSelector"),
        read.path().name().isEmpty()
            ? exchange.query().text("fieldSelector")
            : "metadata.name=" + read.path().name());
  }
}
