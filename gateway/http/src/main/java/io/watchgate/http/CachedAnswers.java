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
import io.watchgate.error.ReasonName;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.fanout.UserResources;
import io.watchgate.fanout.VersionWait;
import io.watchgate.http.ProxyAudit.AuditedRead;
import io.watchgate.http.ProxyRoute.FromCache;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Answers of a caching proxy from the caches: gets, lists and watches of callers whose access the
 * apiserver allows. Thread-safe; may block.
 */
final class CachedAnswers {
  private static final String BEARER = "bearer ";

  private final ProxyContext context;
  private final ResourceReads reads;
  private final ClientCertificates certificates;
  private final RelayLater relayLater;
  private final FanoutSettings loadTimeouts;

  /** Function that relays a watch whose start is not in the cache. It must not block. */
  interface RelayLater {
    void relay(ApiExchange exchange, RelayReason reason);
  }

  CachedAnswers(ProxyContext context, ResourceReads reads, RelayLater relayLater) {
    this.context = context;
    this.reads = reads;
    this.certificates = new ClientCertificates(context.access().certificates());
    this.relayLater = relayLater;
    this.loadTimeouts =
        context.fanout().settings().withPositionTimeout(context.settings().loadWait());
  }

  /**
   * Answers a request, or opens a watch.
   *
   * @return reason to relay the request; empty if it is answered
   * @throws StatusException if the gateway ends
   * @throws IOException if the client has gone
   */
  Optional<RelayReason> answer(FromCache route, ApiExchange exchange)
      throws StatusException, IOException, InterruptedException {
    CompiledSelection selection;
    try {
      selection = selection(route);
    } catch (StatusException e) {
      return Optional.of(RelayReason.PARAMETERS);
    }
    Credentials credentials = credentials(certificates, exchange);
    Caller caller;
    try {
      caller = context.access().controller().authenticate(credentials, exchange.client());
    } catch (ApiException e) {
      return Optional.of(reasonOr(RelayReason.UNKNOWN_CALLER, e));
    }
    AuditedRead audited =
        AuditedRead.of(route.verb(), route.read().path(), caller, caller.credentials(), exchange);
    exchange.source(route.source());
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

  /**
   * Returns LIMIT for the error of a limit, UNANSWERED if a review was not answered, otherwise
   * {@code other}. The request is not refused: a client that gets 429 may give up, and relayed
   * requests have a limit of their own.
   */
  private static RelayReason reasonOr(RelayReason other, ApiException e) {
    return switch (e.error().reason()) {
      case ERROR_REASON_QUOTA -> RelayReason.LIMIT;
      case ERROR_REASON_UPSTREAM_UNAVAILABLE -> RelayReason.UNANSWERED;
      default -> other;
    };
  }

  /**
   * Opens a type; returns null if there is no memory for it.
   *
   * @throws StatusException if the gateway ends
   */
  private @Nullable TypeLease open(ResourceReads.Read read) throws StatusException {
    try {
      return context.types().admission().admit(read.resource().definition());
    } catch (ApiException e) {
      if (e.error().reason() == ErrorReason.ERROR_REASON_DRAINING) {
        throw StatusErrors.draining();
      }
      return null;
    }
  }

  private Optional<RelayReason> answerOnce(
      FromCache route,
      CompiledSelection selection,
      Caller caller,
      AuditedRead audited,
      ApiExchange exchange)
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
      return Optional.of(reasonOr(RelayReason.ACCESS, e));
    }
    ResourceReads.AnswerStart start =
        bytes -> {
          AnswerAdmission.Ticket ticket = admit(exchange, bytes);
          Request.addCompletionListener(exchange.request(), _ -> ticket.close());
          context.metrics().answered(route.verb().text(), route.source(), "");
          context.access().audit().answered(audited);
          return ticket;
        };
    Runnable releaseSlot;
    try {
      releaseSlot = context.access().streams().acquire(exchange.remote());
    } catch (ApiException e) {
      return Optional.of(RelayReason.LIMIT);
    }
    Request.addCompletionListener(exchange.request(), _ -> releaseSlot.run());
    Optional<RelayReason> unanswered = answerOpen(route, exchange, start);
    if (unanswered.isPresent()) {
      releaseSlot.run(); // it is relayed
    }
    return unanswered;
  }

  private AnswerAdmission.Ticket admit(ApiExchange exchange, long bytes)
      throws ReadLimitException, InterruptedException {
    try {
      return context.access().answers().admit(exchange.remote(), bytes);
    } catch (ApiException e) {
      throw new ReadLimitException();
    }
  }

  private Optional<RelayReason> answerOpen(
      FromCache route, ApiExchange exchange, ResourceReads.AnswerStart start)
      throws StatusException, IOException, InterruptedException {
    ResourceReads.Read read = route.read();
    try (TypeLease type = open(read)) {
      if (type == null) {
        return Optional.of(RelayReason.CAPACITY);
      }
      if (!isLoaded(type.cache())) {
        return Optional.of(RelayReason.LOADING);
      }
      try {
        if (route.options().isPresent()) {
          reads.list(read, route.options().get(), type.cache(), exchange, start);
        } else {
          reads.get(read, type.cache(), exchange, start);
        }
      } catch (StatusException e) {
        return Optional.of(reason(e));
      } catch (ReadLimitException e) {
        return Optional.of(RelayReason.LIMIT);
      }
    }
    return Optional.empty();
  }

  /** Waits a moment for the first list of the type. */
  private boolean isLoaded(WatchCache cache) throws InterruptedException {
    try {
      var _ = new VersionWait(cache, loadTimeouts).awaitHead(null);
      return true;
    } catch (ApiException e) {
      return false;
    }
  }

  private static RelayReason reason(StatusException refusal) {
    return switch (refusal.code()) {
      case 404 -> RelayReason.ABSENT;
      case 410 -> RelayReason.OLD_VERSION;
      case 504 -> RelayReason.FUTURE_VERSION;
      case 429 -> RelayReason.NOT_PROVEN;
      default -> RelayReason.PARAMETERS;
    };
  }

  // ---- watches

  private Optional<RelayReason> watch(
      FromCache route,
      CompiledSelection selection,
      Caller caller,
      AuditedRead audited,
      ApiExchange exchange)
      throws StatusException, InterruptedException {
    WatchGrant grant = new WatchGrant();
    AccessController.Admitted admitted;
    try {
      admitted =
          context.access().controller().admit(caller, selection, route.read().wanted(), grant);
    } catch (ApiException e) {
      return Optional.of(reasonOr(RelayReason.ACCESS, e));
    }
    Runnable releaseSlot;
    try {
      releaseSlot = context.access().streams().acquire(exchange.remote());
    } catch (ApiException e) {
      admitted.close();
      return Optional.of(RelayReason.LIMIT);
    }
    ProxiedWatch watch =
        new ProxiedWatch(route, selection, audited, exchange, admitted, releaseSlot);
    boolean handedOver = false;
    try {
      TypeLease type = open(route.read());
      if (type == null) {
        return Optional.of(RelayReason.CAPACITY);
      }
      if (!isLoaded(type.cache())) {
        type.close();
        return Optional.of(RelayReason.LOADING);
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
      return Optional.empty();
    } catch (StatusException e) {
      if (e.code() == StatusErrors.draining().code()) {
        throw e;
      }
      return Optional.of(reason(e));
    } catch (ReadLimitException e) {
      return Optional.of(RelayReason.LIMIT);
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
  private final class ProxiedWatch implements HttpWatchListener {
    private final FromCache route;
    private final CompiledSelection selection;
    private final AuditedRead audited;
    private final ApiExchange exchange;
    private final AccessController.Admitted admitted;
    private final Runnable releaseSlot;
    private final long createdAt = System.nanoTime();
    private ProxyAudit.@Nullable OpenWatch open;

    ProxiedWatch(
        FromCache route,
        CompiledSelection selection,
        AuditedRead audited,
        ApiExchange exchange,
        AccessController.Admitted admitted,
        Runnable releaseSlot) {
      this.route = route;
      this.selection = selection;
      this.audited = audited;
      this.exchange = exchange;
      this.admitted = admitted;
      this.releaseSlot = releaseSlot;
    }

    @Override
    public StreamIdentity identity() {
      return audited.identity(Instant.now().minusNanos(System.nanoTime() - createdAt));
    }

    private EndedStreams.Entry entry(String reason, long bytes) {
      return new EndedStreams.Entry(
          Instant.now(),
          identity(),
          audited.groupResource(),
          EndedStreams.Watched.of(selection, null),
          reason,
          bytes);
    }

    void release() {
      admitted.close();
      releaseSlot.run();
    }

    @Override
    public void begun() {
      context.metrics().answered(route.verb().text(), route.source(), "");
      open = context.access().audit().opened(audited);
    }

    @Override
    public void ended(ErrorReason reason, ProxyAudit.Side by, long bytes) {
      release();
      ProxyAudit.OpenWatch begun = open;
      if (begun != null) {
        begun.ended(reason, by, Duration.ofNanos(System.nanoTime() - createdAt), bytes);
        boolean hasReason = reason != ErrorReason.ERROR_REASON_UNSPECIFIED;
        String name = hasReason ? ReasonName.of(reason) : by.name().toLowerCase(Locale.ROOT);
        context.access().endedStreams().addEnded(entry(name, bytes));
      }
    }

    @Override
    public void cannotBegin(ApiError error) {
      if (error.reason() == ErrorReason.ERROR_REASON_HISTORY_LOST) {
        // The apiserver would accept the version, and be silent until it is reached again.
        context.access().endedStreams().addRefused(entry(ReasonName.of(error.reason()), 0));
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
            case ERROR_REASON_BEHIND -> RelayReason.FUTURE_VERSION;
            case ERROR_REASON_POSITION_EXPIRED -> RelayReason.OLD_VERSION;
            default -> RelayReason.LOADING; // the type was closed, or is defined again
          };
      relayLater.relay(exchange, reason);
    }
  }

  // ---- callers

  /** Returns what a request presents: a trusted certificate takes precedence over a token. */
  static Credentials credentials(ClientCertificates certificates, ApiExchange exchange) {
    Optional<Credentials.Certificate> certificate = certificates.of(exchange);
    return certificate.isPresent() ? certificate.get() : credentialsOfHeader(exchange);
  }

  private static Credentials credentialsOfHeader(ApiExchange exchange) {
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
}
