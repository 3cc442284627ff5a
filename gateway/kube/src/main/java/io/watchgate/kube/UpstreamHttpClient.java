package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.cache.UpstreamFailure.Transport;
import io.watchgate.cache.UpstreamFailure.Unauthorized;
import io.watchgate.json.JsonException;
import io.watchgate.json.TruncatedJsonException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client of one type, or of discovery, which turns every error into an {@link
 * UpstreamFailure}. It has a connection pool of its own: a shared HTTP/2 connection would delay its
 * calls (a watch by about 1 s beside a burst of requests), and would end all of them when it dies.
 * Thread-safe.
 */
final class UpstreamHttpClient implements AutoCloseable {
  private final ApiserverAccess server;
  private volatile ConnectionPool pool = new ConnectionPool();

  /** Pools that no new call uses, while calls in flight still do. */
  private final Set<ConnectionPool> retiredPools = ConcurrentHashMap.newKeySet();

  private final Set<CancellableCall> running = ConcurrentHashMap.newKeySet();
  private final ReceiveWindow window = new ReceiveWindow(KubeSettings.Sizes.RECEIVE_WINDOW);
  private volatile @Nullable OkHttpClient lastClient;
  private volatile boolean closed;

  UpstreamHttpClient(ApiserverAccess server) {
    this.server = server;
  }

  /** Reader of the body of a successful answer. */
  interface Body<T> {
    T read(TimedAnswerStream body, CancellableCall call)
        throws IOException, JsonException, KubeException;
  }

  /**
   * Makes the request on this thread and reads its answer on it.
   *
   * @throws KubeException for every error; unchecked exceptions of {@code body} are passed on
   */
  <T> T get(ApiRequest request, Body<T> body) throws KubeException {
    String description = request.description();
    RequestCredentials login;
    OkHttpClient client;
    try {
      login = server.credentialSource().current();
      client = server.clients().forRequest(login);
    } catch (IOException e) {
      throw new KubeException(
          closed ? closed(description) : new Unauthorized(description + ": " + e.getMessage()));
    }
    Request http =
        new Request.Builder()
            .url(request.url())
            .headers(server.headers(request.accept(), request.encoding(), login))
            .build();
    CancellableCall call = new CancellableCall(description, newCall(client, http), server.timer());
    running.add(call);
    List<Future<?>> timers = timeouts(request, call);
    try {
      if (closed) { // perhaps before close() could see this call
        call.cancelWith(closed(description));
      }
      try (Response response = execute(call)) {
        if (response.code() != 200) {
          throw server.refused(description, login, response);
        }
        timers.getFirst().cancel(false);
        try (TimedAnswerStream answer =
            new TimedAnswerStream(response.body().byteStream(), window, server.timer())) {
          Duration silence = request.idleTimeout();
          if (!silence.isZero()) {
            Transport idle =
                new Transport(description + ": silent for " + LogText.duration(silence));
            answer.startTimer(silence, () -> call.cancelWith(idle));
          }
          return body.read(answer, call);
        }
      }
    } catch (TruncatedJsonException | JsonException e) {
      throw new KubeException(call.reasonOr(new Malformed(description + ": " + e.getMessage())));
    } catch (IOException e) {
      evictConnections();
      throw new KubeException(call.reasonOr(server.connectionFailed(description, e)));
    } finally {
      timers.forEach(timer -> timer.cancel(false));
      running.remove(call);
      if (closed || server.clients().isOutdated(client)) {
        evictConnections();
      }
    }
  }

  /** Reads a small JSON document, within the timeout of a request. */
  JsonDocument document(HttpUrl url, String description, String accept) throws KubeException {
    int limit = server.settings().sizes().maxObjectBytes();
    Duration timeout = server.settings().timeouts().request();
    return get(
        new ApiRequest(url, description, accept, ApiRequest.Encoding.ANY, timeout, timeout),
        (body, call) -> JsonDocument.read(body, limit));
  }

  private Response execute(CancellableCall call) throws IOException {
    window.beginWait();
    try {
      return call.execute();
    } finally {
      window.endWait();
    }
  }

  /**
   * Closes idle connections after an error: the next request on the same connection may fail again,
   * and a balancer may have other apiservers behind it. Connections in use by other calls stay
   * open.
   */
  private void evictConnections() {
    pool.evictAll();
    retiredPools.forEach(ConnectionPool::evictAll);
    retiredPools.removeIf(each -> each.connectionCount() == 0);
  }

  /** Makes new calls use new connections; calls in flight keep theirs. */
  void renew() {
    retiredPools.add(pool);
    pool = new ConnectionPool();
    evictConnections();
  }

  /** Bytes received that no reader has taken. */
  long unreadBytes() {
    return window.unreadBytes();
  }

  private static Transport closed(String description) {
    return new Transport(description + ": closed by the gateway");
  }

  /**
   * Returns the timeouts of a call. The first one limits the time to the complete error, or to the
   * beginning of a successful answer.
   */
  private List<Future<?>> timeouts(ApiRequest request, CancellableCall call) {
    String description = request.description();
    Duration first = server.settings().timeouts().request();
    Duration total = request.totalTimeout();
    Future<?> answer =
        call.cancelAfter(
            first, new Transport(description + ": no answer within " + LogText.duration(first)));
    return total.isZero()
        ? List.of(answer)
        : List.of(
            answer,
            call.cancelAfter(
                total,
                new Transport(description + ": not complete after " + LogText.duration(total))));
  }

  private Call newCall(OkHttpClient client, Request http) {
    OkHttpClient before = lastClient;
    lastClient = client;
    if (!client.equals(before) && before != null) {
      evictConnections(); // nothing would use it again
    }
    OkHttpClient.Builder own =
        client
            .newBuilder()
            .connectionPool(pool)
            .readTimeout(Duration.ZERO); // the call has its own timeouts
    if (client.socketFactory() instanceof KeepAliveSocketFactory sockets) {
      own.socketFactory(sockets.within(window));
    }
    return own.build().newCall(http);
  }

  /** Ends all calls at once and closes the connections. */
  @Override
  public void close() {
    closed = true;
    for (CancellableCall call : running) {
      call.cancelWith(closed(call.description()));
    }
    evictConnections();
    server.forget(this);
  }
}
