package io.watchgate.http;

import io.watchgate.cache.TimeSource;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.http.WriteRequest.Method;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/** Handler of write requests; it reads them and passes them to a {@link WriteBackend}. */
final class SandboxWriteHandler {
  private final WriteBackend writes;
  private final TimeSource time;
  private final int maxBodyBytes;

  SandboxWriteHandler(WriteBackend writes, TimeSource time, int maxBodyBytes) {
    this.writes = writes;
    this.time = time;
    this.maxBodyBytes = maxBodyBytes;
  }

  void answer(ServedResource resource, ApiPath path, ApiExchange exchange)
      throws StatusException, IOException {
    Method method = method(exchange.request().getMethod());
    if (path.form() == ApiPath.Form.LEGACY_WATCH
        || !verbs(resource, path).contains(verb(method, path))) {
      throw StatusErrors.notAllowed();
    }
    ResponseFormat wanted = ResponseFormat.of(exchange.accept(), exchange.query());
    WriteRequest request =
        new WriteRequest(
            method,
            path,
            exchange.query().first(),
            mediaType(exchange.header(HttpHeader.CONTENT_TYPE)),
            exchange.header(HttpHeader.USER_AGENT),
            body(exchange));
    WriteBackend.Answer answer = writes.answer(request);
    ObjectEncoders forms = new ObjectEncoders(resource, time);
    exchange.json(answer.code(), forms.encodeResponse(wanted, answer.object()));
  }

  private static Method method(String name) throws StatusException {
    return switch (name) {
      case "POST" -> Method.POST;
      case "PUT" -> Method.PUT;
      case "PATCH" -> Method.PATCH;
      case "DELETE" -> Method.DELETE;
      default -> throw StatusErrors.notAllowed();
    };
  }

  /** Returns the verb as discovery names it; empty if no path allows the method. */
  private static String verb(Method method, ApiPath path) {
    boolean collection = path.name().isEmpty();
    boolean object = path.subresource().isEmpty() && !collection;
    return switch (method) {
      case POST -> object ? "" : "create";
      case PUT -> collection ? "" : "update";
      case PATCH -> collection ? "" : "patch";
      case DELETE -> collection ? "deletecollection" : "delete";
    };
  }

  private static List<String> verbs(ServedResource resource, ApiPath path) {
    return path.subresource().isEmpty()
        ? resource.definition().verbs()
        : ResourceIndex.subresource(resource, path.subresource())
            .map(Subresource::verbs)
            .orElse(List.of());
  }

  private static String mediaType(String header) {
    int parameters = header.indexOf(';');
    return (parameters < 0 ? header : header.substring(0, parameters))
        .strip()
        .toLowerCase(Locale.ROOT);
  }

  private byte[] body(ApiExchange exchange) throws StatusException, IOException {
    try (InputStream in = Content.Source.asInputStream(exchange.request())) {
      boolean announced = exchange.request().getLength() > maxBodyBytes;
      byte[] body = announced ? new byte[0] : in.readNBytes(maxBodyBytes + 1);
      if (announced || body.length > maxBodyBytes) {
        discard(in);
        throw StatusErrors.tooLarge(maxBodyBytes);
      }
      return body;
    }
  }

  /**
   * Reads and discards a body. A client that is still sending would otherwise get a connection
   * reset instead of the response.
   */
  private void discard(InputStream in) throws IOException {
    byte[] buffer = new byte[16 << 10];
    int read = 0;
    for (long left = 2L * maxBodyBytes; left > 0 && read >= 0; left -= Math.max(0, read)) {
      read = in.read(buffer);
    }
  }
}
