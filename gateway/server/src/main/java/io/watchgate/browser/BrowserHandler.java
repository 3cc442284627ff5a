package io.watchgate.browser;

import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.TraceParent;
import io.watchgate.grpc.CallStarter;
import io.watchgate.grpc.HttpClientInfo;
import io.watchgate.http.StreamedResponse;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Handler of the requests of browsers: watches as server-sent events, and all methods of the
 * contract by gRPC-Web. Requests for other paths are left to the next handler. Called on virtual
 * threads, which may block.
 */
public final class BrowserHandler extends Handler.Abstract {
  private static final String EVENTS_PATH = "/v1/watch";
  private static final String METHODS_PATH = "/" + WatchServiceGrpc.SERVICE_NAME + "/";

  /** Names of the protocols, for operators. */
  private static final String EVENTS = "events";

  private static final String GRPC_WEB = "grpc-web";

  private static final String LAST_EVENT_ID = "Last-Event-ID";

  private final BrowserSettings settings;
  private final Predicate<List<X509Certificate>> trusted;
  private final OriginPolicy origins;

  /** Divisor of the limit of bodies that are being read: one address may have a quarter. */
  private static final int CLIENT_BODY_DIVISOR = 4;

  /** Limit of the bodies that are being read, which no other limit counts yet. */
  private final GatewayStreamLimiter bodies;

  private volatile @Nullable CallStarter calls;

  /**
   * @param trusted whether a client's certificate, with those after it, leads to an authority
   */
  public BrowserHandler(BrowserSettings settings, Predicate<List<X509Certificate>> trusted) {
    this.settings = settings;
    this.trusted = trusted;
    this.origins = new OriginPolicy(settings.origins());
    int most = settings.maxStreams();
    this.bodies =
        new GatewayStreamLimiter(
            new GatewayStreamLimits(most, Math.ceilDiv(most, CLIENT_BODY_DIVISOR)));
  }

  /** Begins to serve; to be called before the server listens. */
  public void serve(CallStarter starter) {
    calls = starter;
  }

  /** Returns the number of open streams of browsers. */
  public int openStreams() {
    CallStarter starter = calls;
    return starter == null ? 0 : starter.openCalls();
  }

  /** Returns the number of bodies that are being read. */
  public int openBodies() {
    return bodies.usedSlots();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String path = request.getHttpURI().getCanonicalPath();
    if (path != null && path.equals(EVENTS_PATH)) {
      answer(HttpMethod.GET, request, response, callback, this::startEvents);
      return true;
    }
    if (path != null && path.startsWith(METHODS_PATH)) {
      answer(HttpMethod.POST, request, response, callback, this::startGrpcWeb);
      return true;
    }
    return false;
  }

  /** Function that starts the call of a request which may be served. */
  private interface Start {
    void start(CallStarter starter, Request request, Response response, Callback callback);
  }

  private void answer(
      HttpMethod method, Request request, Response response, Callback callback, Start start) {
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    response.getHeaders().put(new HttpField("X-Content-Type-Options", "nosniff"));
    CallStarter starter = calls;
    if (!origins.permits(request)) {
      refuse(
          response,
          callback,
          HttpStatus.FORBIDDEN_403,
          "pages of this origin are not served. The operator of the gateway allows an origin with"
              + " --allowed-origin, as https://dashboard.example.");
    } else if (HttpMethod.OPTIONS.is(request.getMethod())) {
      origins.addPreflightHeaders(request, method, response.getHeaders());
      response.setStatus(HttpStatus.NO_CONTENT_204);
      response.write(true, ByteBuffer.allocate(0), callback);
    } else if (!method.is(request.getMethod())) {
      response.getHeaders().put(HttpHeader.ALLOW, method.asString());
      refuse(
          response,
          callback,
          HttpStatus.METHOD_NOT_ALLOWED_405,
          "this path is served by " + method.asString() + ".");
    } else if (starter == null) {
      StreamedResponse.abandon(callback, new IllegalStateException("it does not serve yet"));
    } else {
      origins.addHeaders(request, response.getHeaders());
      // Proxies of nginx's kind would keep events until a buffer is full.
      response.getHeaders().put(new HttpField("X-Accel-Buffering", "no"));
      try {
        start.start(starter, request, response, callback);
      } catch (RejectedExecutionException e) {
        // The gateway has ended. After any answer but 200 a browser would not come back.
        StreamedResponse.abandon(callback, e);
      }
    }
  }

  private void startEvents(
      CallStarter starter, Request request, Response response, Callback callback) {
    String lastEventId = header(request, LAST_EVENT_ID);
    EventStreamOutput output =
        new EventStreamOutput(
            (thread, listener) ->
                new StreamedResponse(request, response, callback, thread, listener),
            settings.commentInterval(),
            lastEventId.isEmpty()
                ? EventStreamOutput.Attempt.FIRST
                : EventStreamOutput.Attempt.RESUMED);
    HttpClientInfo client = client(EVENTS, request);
    ListAndWatchRequest watch;
    try {
      String query = request.getHttpURI().getQuery();
      watch = WatchParameters.parse(query == null ? "" : query, lastEventId);
    } catch (ApiException e) {
      starter.refuseWatch(e.error(), client, headers(request), output);
      return;
    }
    starter.watch(watch, client, headers(request), output);
  }

  private void startGrpcWeb(
      CallStarter starter, Request request, Response response, Callback callback) {
    String type = header(request, HttpHeader.CONTENT_TYPE.asString());
    if (!type.equals(GrpcWebOutput.CONTENT_TYPE) && !type.equals("application/grpc-web")) {
      refuse(
          response,
          callback,
          HttpStatus.UNSUPPORTED_MEDIA_TYPE_415,
          "this path is served as "
              + GrpcWebOutput.CONTENT_TYPE
              + ", in binary only; gRPC is on the port"
              + " of --listen.");
      return;
    }
    String method = request.getHttpURI().getCanonicalPath().substring(1);
    Status refusal =
        Status.UNIMPLEMENTED.withDescription("the contract has no method " + method + ".");
    try {
      GrpcWebOutput output =
          new GrpcWebOutput(
              (thread, listener) ->
                  new StreamedResponse(request, response, callback, thread, listener),
              settings.commentInterval());
      if (starter.call(
          method, read(request).message(), client(GRPC_WEB, request), headers(request), output)) {
        return;
      }
    } catch (GrpcWebRequest.MalformedException e) {
      refusal = e.status();
    } catch (IOException e) {
      StreamedResponse.abandon(callback, e);
      return;
    }
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, GrpcWebOutput.CONTENT_TYPE);
    response.write(true, GrpcWebOutput.trailers(refusal, new Metadata()), callback);
  }

  /**
   * Reads the body, and closes it before its call begins: bytes that are left fail the request. A
   * body that is not whole in time fails, too; the idle timeout of a connection would allow one
   * byte every 90 s.
   */
  private GrpcWebRequest read(Request request)
      throws IOException, GrpcWebRequest.MalformedException {
    GatewayStreamLimiter.Slot slot;
    try {
      slot = bodies.acquire(request.getConnectionMetaData().getRemoteSocketAddress());
    } catch (ApiException e) {
      throw new GrpcWebRequest.MalformedException(
          Status.RESOURCE_EXHAUSTED.withDescription(
              "the limit of requests that are being read is reached: --max-browser-streams of all"
                  + " browsers, a quarter of them of one address. Send it again later."));
    }
    Scheduler.Task limit =
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () -> request.fail(new TimeoutException("the body of a request is late")),
                settings.bodyTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
    try (InputStream body = Content.Source.asInputStream(request)) {
      return GrpcWebRequest.read(body);
    } finally {
      limit.cancel();
      slot.release();
    }
  }

  private HttpClientInfo client(String api, Request request) {
    var connection = request.getConnectionMetaData();
    return new HttpClientInfo(
        api,
        header(request, HttpHeader.USER_AGENT.asString()),
        connection.getRemoteSocketAddress(),
        certificates(connection.getConnection().getEndPoint().getSslSessionData()));
  }

  private static Metadata headers(Request request) {
    return CallStarter.headers(
        request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION),
        request.getHeaders().getValuesList(TraceParent.HEADER));
  }

  /**
   * Returns the certificate of the client and those after it. One of a foreign authority counts as
   * none: the handshake accepts any, while over gRPC its connection would have been refused.
   */
  private List<X509Certificate> certificates(EndPoint.@Nullable SslSessionData tls) {
    X509Certificate[] shown = tls == null ? null : tls.peerCertificates();
    List<X509Certificate> chain = shown == null ? List.of() : List.of(shown);
    return chain.isEmpty() || !trusted.test(chain) ? List.of() : chain;
  }

  private static String header(Request request, String name) {
    String value = request.getHeaders().get(name);
    return value == null ? "" : value;
  }

  private static void refuse(Response response, Callback callback, int status, String message) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
    response.write(
        true, ByteBuffer.wrap((message + "\n").getBytes(StandardCharsets.UTF_8)), callback);
  }
}
