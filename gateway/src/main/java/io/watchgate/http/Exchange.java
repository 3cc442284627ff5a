package io.watchgate.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A request and the way to answer it.
 *
 * @param callback to be completed once, by whoever answers
 */
record Exchange(Request request, Response response, Callback callback, QueryParameters query) {
  static final String JSON = "application/json";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** How JSON is set. */
  enum Layout {
    COMPACT,
    PRETTY
  }

  static Exchange of(Request request, Response response, Callback callback) {
    return new Exchange(
        request, response, callback, QueryParameters.parse(request.getHttpURI().getQuery()));
  }

  /** Decoded. */
  String path() {
    return request.getHttpURI().getDecodedPath();
  }

  /** Empty without it. */
  String header(HttpHeader name) {
    String value = request.getHeaders().get(name);
    return value == null ? "" : value;
  }

  AcceptHeader accept() {
    return AcceptHeader.parse(joined(HttpHeader.ACCEPT));
  }

  private @Nullable String joined(HttpHeader name) {
    var values = request.getHeaders().getValuesList(name);
    return values.isEmpty() ? null : String.join(",", values);
  }

  boolean takesGzip() {
    String header = joined(HttpHeader.ACCEPT_ENCODING);
    return header != null
        && Arrays.stream(header.toLowerCase(Locale.ROOT).split(",", -1))
            .map(token -> token.replace(" ", ""))
            .anyMatch(token -> token.matches("gzip(;q=(1|1\\.0*|0\\.0*[1-9][0-9]*))?"));
  }

  /** People with a browser or curl get it in lines, and whoever asks for it. */
  Layout layout() {
    String asked = query.text("pretty");
    String agent = header(HttpHeader.USER_AGENT);
    boolean pretty =
        asked.isEmpty()
            ? agent.startsWith("curl")
                || agent.startsWith("Wget")
                || agent.startsWith("Mozilla/5.0")
            : asked.matches("1|t|T|true|TRUE|True");
    return pretty ? Layout.PRETTY : Layout.COMPACT;
  }

  /** Says that JSON follows, which is not to be kept. */
  void begin(int code) {
    response.setStatus(code);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
  }

  /** Answers with a JSON document. */
  void json(int code, byte[] document) {
    begin(code);
    document(document);
  }

  /** The body, once the headers are set. */
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

  /** An apiserver's answer to what lies outside of every group that it serves. */
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
