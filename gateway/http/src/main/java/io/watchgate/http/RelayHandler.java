package io.watchgate.http;

import io.watchgate.error.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Handler that passes a request on to the apiserver, and its answer back, byte by byte. Blocks its
 * thread until the answer is complete.
 */
final class RelayHandler {
  private static final int BUFFER = 16 << 10;
  private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD");

  private final Relay relay;
  private final ProxyContext.SlotLimit slots;
  private final ProxyMetrics metrics;
  private final Duration silence;

  RelayHandler(ProxyContext context) {
    this.relay = context.relay();
    this.slots = context.access().relays();
    this.metrics = context.metrics();
    this.silence = context.settings().relaySilence();
  }

  /**
   * Relays a request.
   *
   * @param verb verb for metrics
   * @throws StatusException if the apiserver cannot be reached, or too many requests are relayed
   * @throws IOException if the client has gone, or the answer ends early
   */
  void relay(Exchange exchange, String verb, RelayReason reason)
      throws StatusException, IOException {
    Runnable slot;
    try {
      slot = slots.acquire(exchange.remote());
    } catch (ApiException e) {
      throw StatusErrors.overLimit(String.valueOf(e.getMessage()));
    }
    metrics.answered(verb, ProxyMetrics.Source.APISERVER, reason.label());
    metrics.relaysChanged(1);
    try {
      relay(exchange);
    } finally {
      metrics.relaysChanged(-1);
      slot.run();
    }
  }

  private void relay(Exchange exchange) throws StatusException, IOException {
    Relay.Answer answer;
    try {
      answer = relay.send(request(exchange));
    } catch (IOException e) {
      throw StatusErrors.apiserverUnreachable(String.valueOf(e.getMessage()));
    }
    try (answer) {
      AtomicBoolean writing = new AtomicBoolean();
      // A watch without changes is healthy; only a write without progress is not.
      exchange.request().addIdleTimeoutListener(idle -> writing.get());
      exchange.request().addFailureListener(failure -> answer.close());
      exchange.response().setStatus(answer.code());
      ProxyHeaders.copy(answer.headers(), exchange.response().getHeaders());
      exchange.source(ProxyMetrics.Source.APISERVER);
      copy(answer.body(), exchange, writing);
    }
    exchange.callback().succeeded();
  }

  private Relay.RelayedRequest request(Exchange exchange) {
    Request request = exchange.request();
    boolean watch = exchange.query().flag("watch") || exchange.path().contains("/watch/");
    return new Relay.RelayedRequest(
        request.getMethod(),
        request.getHttpURI().getPathQuery(),
        ProxyHeaders.relayed(request.getHeaders(), exchange.remoteAddress()),
        body(request),
        watch ? Duration.ZERO : silence);
  }

  private static @Nullable InputStream body(Request request) {
    return WITHOUT_BODY.contains(request.getMethod())
        ? null
        : Content.Source.asInputStream(request);
  }

  private static void copy(InputStream from, Exchange exchange, AtomicBoolean writing)
      throws IOException {
    byte[] buffer = new byte[BUFFER];
    try (OutputStream to = Content.Sink.asOutputStream(exchange.response())) {
      // Headers of a watch are sent before its first event.
      writing.set(true);
      to.flush();
      writing.set(false);
      for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
        writing.set(true);
        to.write(buffer, 0, read);
        writing.set(false);
      }
    }
  }
}
