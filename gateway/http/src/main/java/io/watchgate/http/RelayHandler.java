package io.watchgate.http;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.error.ApiException;
import io.watchgate.relay.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler that passes a request on to the apiserver, and its answer back, byte by byte. Blocks its
 * thread until the answer is complete. {@link ProxyRouter} decides what is relayed before the cache
 * is asked, {@link CachedAnswers} after it; {@link RelayReason} lists the cases.
 */
final class RelayHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RelayHandler.class);
  private static final int BUFFER = 16 << 10;

  /** Shortest time between two log lines about an apiserver that cannot be reached. */
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

  private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD");

  /** Interval at which a relay finds out that its client has gone, or that no answer comes. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

  private final Relay relay;
  private final ClientCertificates certificates;
  private final ProxyContext.SlotLimit slots;
  private final ProxyMetrics metrics;
  private final Duration silence;
  private final ScheduledExecutorService timer;

  /** Open watches, of which some may not be answered yet. Guarded by {@link #lock}. */
  private final Set<RelayedCall> watches = new HashSet<>();

  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean ending;

  private final AtomicLong loggedAt =
      new AtomicLong(System.nanoTime() - 2 * LOG_INTERVAL.toNanos());

  RelayHandler(ProxyContext context, ScheduledExecutorService timer) {
    this.relay = context.relay();
    this.certificates = new ClientCertificates(context.access().certificates());
    this.slots = context.access().relays();
    this.metrics = context.metrics();
    this.silence = context.settings().relaySilence();
    this.timer = timer;
  }

  /**
   * Relays a request.
   *
   * @throws StatusException if the apiserver cannot be reached, too many requests are relayed, or
   *     the caller has a client certificate
   * @throws IOException if the client has gone, or the answer ends early
   */
  void relay(ApiExchange exchange, RelayReason reason) throws StatusException, IOException {
    certificates.requireRelayable(exchange, reason);
    Runnable releaseSlot;
    try {
      releaseSlot = slots.acquire(exchange.remote());
    } catch (ApiException e) {
      throw StatusErrors.overLimit(String.valueOf(e.getMessage()));
    }
    metrics.answered(ProxyRouter.verbLabel(exchange), AnswerSource.APISERVER, reason.label());
    metrics.relaysChanged(1);
    boolean isWatch =
        ProxyRouter.verb(exchange).filter(AccessAttributes.Verb.WATCH::equals).isPresent();
    try (Relay.Call call = prepare(exchange, isWatch)) {
      RelayedCall relayed = new RelayedCall(exchange, call);
      if (isWatch) {
        add(relayed);
      }
      try {
        relayed.run();
      } finally {
        remove(relayed);
      }
    } finally {
      metrics.relaysChanged(-1);
      releaseSlot.run();
    }
  }

  /**
   * Ends all watches, evenly within a time, and starts no more. A watch ends after an event, as at
   * an apiserver that shuts down: the client resumes at its last resourceVersion. A watch inside an
   * event is aborted. So is a watch in another format than JSON that has sent bytes, because event
   * boundaries are known for JSON only.
   */
  void endWatches(Duration within) {
    List<RelayedCall> open;
    lock.lock();
    try {
      ending = true;
      open = List.copyOf(watches);
    } finally {
      lock.unlock();
    }
    for (int i = 0; i < open.size(); i++) {
      long delay = within.toNanos() * i / open.size();
      var _ = timer.schedule(open.get(i)::end, delay, TimeUnit.NANOSECONDS);
    }
  }

  private void add(RelayedCall watch) throws StatusException {
    lock.lock();
    try {
      if (ending) {
        throw StatusErrors.draining();
      }
      watches.add(watch);
    } finally {
      lock.unlock();
    }
  }

  private void remove(RelayedCall watch) {
    lock.lock();
    try {
      watches.remove(watch);
    } finally {
      lock.unlock();
    }
  }

  private Relay.Call prepare(ApiExchange exchange, boolean isWatch) throws StatusException {
    try {
      return relay.prepare(request(exchange, isWatch));
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** The cause names the apiserver and the gateway's configuration: it is for the log only. */
  private StatusException unreachable(IOException cause) {
    long now = System.nanoTime();
    long last = loggedAt.get();
    if (now - last > LOG_INTERVAL.toNanos() && loggedAt.compareAndSet(last, now)) {
      LOG.warn("requests cannot be relayed: {}", cause.getMessage());
    }
    return StatusErrors.apiserverUnreachable();
  }

  private Relay.RelayedRequest request(ApiExchange exchange, boolean isWatch) {
    Request request = exchange.request();
    return new Relay.RelayedRequest(
        request.getMethod(),
        request.getHttpURI().getPathQuery(),
        ProxyHeaders.relayed(request.getHeaders(), exchange.remoteAddress()),
        WITHOUT_BODY.contains(request.getMethod()) ? null : Content.Source.asInputStream(request),
        isWatch ? Duration.ZERO : silence);
  }

  /** One request that is being relayed. */
  private final class RelayedCall {
    private final ApiExchange exchange;
    private final Relay.Call call;
    private final long beganAt = System.nanoTime();
    private volatile long answeredAt;
    private volatile boolean answered;
    private volatile boolean writing;
    private volatile boolean isEnded;
    private volatile boolean hasSentBytes;

    /** True once the last bytes are sent. Guarded by this. */
    private boolean isComplete;

    private volatile @Nullable Throwable clientGone;

    RelayedCall(ApiExchange exchange, Relay.Call call) {
      this.exchange = exchange;
      this.call = call;
    }

    void run() throws StatusException, IOException {
      // A watch without changes is healthy; only a write without progress is not.
      exchange.request().addIdleTimeoutListener(idle -> writing);
      exchange.request().addFailureListener(this::onClientGone);
      long interval = CHECK_INTERVAL.toNanos();
      Future<?> checks =
          timer.scheduleWithFixedDelay(this::check, interval, interval, TimeUnit.NANOSECONDS);
      try {
        Relay.Answer answer = answer();
        answeredAt = System.nanoTime();
        answered = true;
        exchange.response().setStatus(answer.code());
        ProxyHeaders.copy(answer.headers(), exchange.response().getHeaders());
        exchange.source(AnswerSource.APISERVER);
        copy(answer.body(), isJson());
      } finally {
        checks.cancel(false);
        stopChecks();
      }
      exchange.callback().succeeded();
    }

    /**
     * Ends the checks before the client has its answer: a later check would read bytes of the next
     * request on the connection.
     */
    private synchronized void stopChecks() {
      isComplete = true;
    }

    /** Ends the watch; if it has sent nothing, no earlier than {@link HttpWatch#SHORTEST}. */
    void end() {
      Duration age = Duration.ofNanos(System.nanoTime() - answeredAt);
      if (answered && !hasSentBytes && age.compareTo(HttpWatch.SHORTEST) < 0) {
        var _ =
            timer.schedule(
                this::end, HttpWatch.SHORTEST.minus(age).toNanos(), TimeUnit.NANOSECONDS);
        return;
      }
      isEnded = true;
      call.cancel();
    }

    private void onClientGone(Throwable failure) {
      clientGone = failure;
      call.cancel();
    }

    /** On the timer's thread. The body of a request is read from the connection by others. */
    private synchronized void check() {
      if (isComplete) {
        return;
      }
      if (!answered && System.nanoTime() - beganAt > silence.toNanos()) {
        call.cancel();
      }
      if (WITHOUT_BODY.contains(exchange.request().getMethod())) {
        try {
          DisconnectDetector.check(exchange.request());
        } catch (IOException e) {
          onClientGone(e);
        }
      }
    }

    private Relay.Answer answer() throws StatusException, IOException {
      try {
        return call.execute();
      } catch (IOException e) {
        Throwable gone = clientGone;
        if (gone != null) {
          throw new IOException("the client has gone", gone);
        }
        if (isEnded) {
          throw StatusErrors.draining();
        }
        StatusException unreachable = unreachable(e);
        boolean isRead = WITHOUT_BODY.contains(exchange.request().getMethod());
        throw isRead || e instanceof Relay.NotSentException
            ? unreachable
            : StatusErrors.outcomeUnknown();
      }
    }

    /** The output is closed only after all bytes: closing it ends the answer as a complete one. */
    private void copy(InputStream from, boolean isJson) throws IOException {
      byte[] buffer = new byte[BUFFER];
      boolean isEventComplete = true;
      OutputStream to = Content.Sink.asOutputStream(exchange.response());
      writing = true;
      to.flush(); // the headers of a watch, before its first event
      writing = false;
      for (int read = read(from, buffer, isEventComplete);
          read >= 0;
          read = read(from, buffer, isEventComplete)) {
        writing = true;
        to.write(buffer, 0, read);
        hasSentBytes = true;
        writing = false;
        isEventComplete = isJson && read > 0 && buffer[read - 1] == '\n';
      }
      writing = true;
      stopChecks();
      to.close();
    }

    /** Returns the number of bytes read, -1 at the end. */
    private int read(InputStream from, byte[] buffer, boolean isEventComplete) throws IOException {
      try {
        return from.read(buffer);
      } catch (IOException e) {
        if (isEnded && isEventComplete) {
          return -1;
        }
        throw e;
      }
    }

    private boolean isJson() {
      HttpFields headers = exchange.response().getHeaders();
      String type = headers.get(HttpHeader.CONTENT_TYPE);
      return type != null
          && type.startsWith(ApiExchange.JSON)
          && !headers.contains(HttpHeader.CONTENT_ENCODING);
    }
  }
}
