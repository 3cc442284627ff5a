package io.watchgate.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Request and the means to answer it.
 *
 * @param callback to be completed once, by the code that answers
 */
record ApiExchange(Request request, Response response, Callback callback, QueryParameters query) {
  static final String JSON = "application/json";

  /** Header of the answers of a caching proxy. */
  static final String SOURCE = "Watchgate-Source";

  private static final String TEXT = "text/plain; charset=utf-8";

  /** Layout of JSON. */
  enum Layout {
    COMPACT,
    PRETTY
  }

  static ApiExchange of(Request request, Response response, Callback callback) {
    return new ApiExchange(
        request, response, callback, QueryParameters.parse(request.getHttpURI().getQuery()));
  }

  /** Ends the connection, or the stream of HTTP/2, without a line in the log. */
  void abandon(IOException cause) {
    StreamedResponse.abandon(callback, cause);
  }

  /** Returns the decoded path. */
  String path() {
    String path = request.getHttpURI().getDecodedPath();
    return path == null ? "" : path; // CONNECT over HTTP/2 has none
  }

  /** Returns the value of a header, or an empty text if the request has no such header. */
  String header(HttpHeader name) {
    String value = request.getHeaders().get(name);
    return value == null ? "" : value;
  }

  /** Sets the header that names the origin of the answer. */
  void source(AnswerSource source) {
    response.getHeaders().put(SOURCE, source.name().toLowerCase(Locale.ROOT));
  }

  /** Returns the other end of the connection. */
  SocketAddress remote() {
    return request.getConnectionMetaData().getRemoteSocketAddress();
  }

  /** Returns the identity of the client: its address without the port. */
  Object client() {
    return remote() instanceof InetSocketAddress internet && !internet.isUnresolved()
        ? internet.getAddress()
        : remote().toString();
  }

  /** Returns the address of the client as text. */
  String remoteAddress() {
    return client() instanceof InetAddress internet
        ? internet.getHostAddress()
        : client().toString();
  }

  /** Returns the port of the client, 0 if there is none. */
  int remotePort() {
    return remote() instanceof InetSocketAddress internet ? internet.getPort() : 0;
  }

  /** Returns the certificate chain of the client, its own certificate first; empty for none. */
  List<X509Certificate> certificates() {
    EndPoint.SslSessionData tls =
        request.getConnectionMetaData().getConnection().getEndPoint().getSslSessionData();
    X509Certificate[] chain = tls == null ? null : tls.peerCertificates();
    return chain == null ? List.of() : List.of(chain);
  }

  AcceptHeader accept() {
    return AcceptHeader.parse(joined(HttpHeader.ACCEPT));
  }

  private @Nullable String joined(HttpHeader name) {
    var values = request.getHeaders().getValuesList(name);
    return values.isEmpty() ? null : String.join(",", values);
  }

  boolean acceptsGzip() {
    String header = joined(HttpHeader.ACCEPT_ENCODING);
    return header != null
        && Arrays.stream(header.toLowerCase(Locale.ROOT).split(",", -1))
            .map(token -> token.replace(" ", ""))
            .anyMatch(token -> token.matches("gzip(;q=(1|1\\.0*|0\\.0*[1-9][0-9]*))?"));
  }

  /** Returns the layout: lines for browsers, curl and wget, and for clients that ask for it. */
  Layout layout() {
    String value = query.text("pretty");
    String agent = header(HttpHeader.USER_AGENT);
    boolean pretty =
        value.isEmpty()
            ? agent.startsWith("curl")
                || agent.startsWith("Wget")
                || agent.startsWith("Mozilla/5.0")
            : value.matches("1|t|T|true|TRUE|True");
    return pretty ? Layout.PRETTY : Layout.COMPACT;
  }

  /** Sets the status and the headers of a JSON response that must not be cached. */
  void beginJson(int code) {
    response.setStatus(code);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
  }

  /** Answers with a JSON document. */
  void json(int code, byte[] document) {
    beginJson(code);
    document(document);
  }

  /** Sends the body after the headers are set. */
  void document(byte[] document) {
    ByteBuilder body = new ByteBuilder(document.length);
    switch (layout()) {
      case COMPACT -> body.append(document);
      case PRETTY -> new PrettyPrinter().print(document, 0, document.length, body);
    }
    send(body.asBuffer());
  }

  void text(int code, String text) {
    response.setStatus(code);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TEXT);
    response.getHeaders().put(new HttpField("X-Content-Type-Options", "nosniff"));
    send(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private void send(ByteBuffer body) {
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
    response.write(true, body, callback);
  }

  /** Answers a watch with a stream that ends at once. */
  void emptyStream() {
    beginJson(200);
    response.write(true, ByteBuffer.allocate(0), callback);
  }

  /** Answers a watch with one frame, which is its last. */
  void frame(byte[] frame) {
    beginJson(200);
    response.write(true, ByteBuffer.wrap(frame), callback);
  }

  /** Answers as an apiserver does outside of all groups that it serves. */
  void pageNotFound() {
    text(404, "404 page not found\n");
  }

  void refuse(StatusException refusal) {
    int retryAfter = refusal.details().retryAfterSeconds();
    if (retryAfter > 0) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, retryAfter);
    }
    json(refusal.code(), HttpJsonText.document(refusal.status()));
  }
}
