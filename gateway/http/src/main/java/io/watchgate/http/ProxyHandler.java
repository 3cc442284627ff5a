package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Credentials;
import io.watchgate.error.ApiException;
import io.watchgate.error.ReasonName;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.http.ProxyAudit.AuditedRead;
import io.watchgate.http.ProxyRoute.FromCache;
import io.watchgate.http.ProxyRoute.ToApiserver;
import io.watchgate.proto.v1.ErrorReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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

  /** Attribute of requests that this handler has got. */
  static final String SEEN = ProxyHandler.class.getName();

  private final ProxyContext context;
  private final ClientCertificates certificates;
  private final ProxyRouter router;
  private final RelayHandler relays;
  private final CachedAnswers answers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition allAnswered = lock.newCondition();

  /** Number of requests whose answers are not complete. Guarded by {@link #lock}. */
  private int unanswered;

  /**
   * @param threads one thread per task, which may block
   * @param timer runs short tasks
   */
  ProxyHandler(
      ProxyContext context, ResourceReads reads, Executor threads, ScheduledExecutorService timer) {
    this.context = context;
    this.certificates = new ClientCertificates(context.access().certificates());
    this.router = new ProxyRouter(context.types(), context.settings(), this::isUnknownCaller);
    this.relays = new RelayHandler(context, timer);
    this.answers =
        new CachedAnswers(
            context,
            reads,
            (exchange, reason) ->
                threads.execute(() -> answering(exchange, () -> relays.relay(exchange, reason))));
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    request.setAttribute(SEEN, true);
    Request.addCompletionListener(request, _ -> count(-1));
    count(1);
    ApiExchange exchange = ApiExchange.of(request, response, callback);
    answering(exchange, () -> answer(exchange));
    return true;
  }

  private boolean isUnknownCaller(ApiExchange exchange) {
    return context.access().controller().settings().identification().isEnabled()
        && CachedAnswers.credentials(certificates, exchange) instanceof Credentials.None;
  }

  private void count(int change) {
    lock.lock();
    try {
      unanswered += change;
      if (unanswered == 0) {
        allAnswered.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the relayed watches, evenly within a time. Those from caches are ended by {@link
   * HttpWatches}.
   */
  void endRelayedWatches(Duration within) {
    relays.endWatches(within);
  }

  /** Waits until each request is answered, a watch by its end. */
  void awaitAnswers(Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lock();
    try {
      while (unanswered > 0 && left > 0) {
        left = allAnswered.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Task that answers a request. */
  private interface Answering {
    void run() throws StatusException, IOException, InterruptedException;
  }

  private void answering(ApiExchange exchange, Answering task) {
    try {
      task.run();
    } catch (StatusException e) {
      context
          .metrics()
          .answered(
              ProxyRouter.verbLabel(exchange), AnswerSource.GATEWAY, String.valueOf(e.code()));
      recordRefusal(exchange, e);
      exchange.source(AnswerSource.GATEWAY);
      exchange.refuse(e);
    } catch (IOException e) {
      exchange.abandon(e); // the client has gone, or the answer ended early
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exchange.callback().failed(e);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", exchange.request().getMethod(), exchange.path(), e);
      context.metrics().answered(ProxyRouter.verbLabel(exchange), AnswerSource.GATEWAY, "500");
      if (exchange.response().isCommitted()) {
        exchange.callback().failed(e);
      } else {
        exchange.source(AnswerSource.GATEWAY);
        exchange.refuse(StatusErrors.internal());
      }
    }
  }

  /**
   * Records the refusal of a read. It is audited if it is for the credentials or for a limit. A 403
   * is for a certificate, which cannot be passed on to the apiserver.
   */
  private void recordRefusal(ApiExchange exchange, StatusException refusal) {
    Optional<AccessAttributes.Verb> verb = ProxyRouter.verb(exchange);
    if (verb.isEmpty()) {
      return;
    }
    ErrorReason reason =
        switch (refusal.code()) {
          case 401, 403 -> ErrorReason.ERROR_REASON_CREDENTIALS_INVALID;
          case 429 -> ErrorReason.ERROR_REASON_QUOTA;
          default -> ErrorReason.ERROR_REASON_UNSPECIFIED;
        };
    ApiPath path = ApiPath.parse(exchange.path()).orElseThrow();
    Credentials credentials = CachedAnswers.credentials(certificates, exchange);
    AuditedRead read =
        AuditedRead.of(verb.get(), path, holder(credentials, exchange), credentials, exchange);
    boolean isAudited = reason != ErrorReason.ERROR_REASON_UNSPECIFIED;
    Instant now = Instant.now();
    context
        .access()
        .endedStreams()
        .addRefused(
            new EndedStreams.Entry(
                now,
                read.identity(now),
                read.groupResource(),
                isAudited ? ReasonName.of(reason) : refusal.reason(),
                0));
    if (isAudited) {
      context.access().audit().denied(read, reason);
    }
  }

  /** Returns the holder of a certificate; null for a token, which needs a TokenReview. */
  private @Nullable Caller holder(Credentials credentials, ApiExchange exchange) {
    if (!(credentials instanceof Credentials.Certificate)) {
      return null;
    }
    try {
      return context.access().controller().authenticate(credentials, exchange.client());
    } catch (ApiException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private void answer(ApiExchange exchange)
      throws StatusException, IOException, InterruptedException {
    switch (router.route(exchange)) {
      case ToApiserver(RelayReason reason) -> relays.relay(exchange, reason);
      case ProxyRoute.EmptyStream _ -> {
        context.metrics().answered(ProxyRouter.verbLabel(exchange), AnswerSource.GATEWAY, "200");
        exchange.source(AnswerSource.GATEWAY);
        exchange.emptyStream();
      }
      case FromCache route -> {
        Optional<RelayReason> unserved = answers.answer(route, exchange);
        if (unserved.isPresent()) {
          relays.relay(exchange, unserved.get());
        }
      }
    }
  }
}
