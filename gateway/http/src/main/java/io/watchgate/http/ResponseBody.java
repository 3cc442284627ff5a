package io.watchgate.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * Body of a response that may be large. Up to 128 KiB are buffered and sent with their length.
 * Above that the body is streamed, gzipped if the client accepts it, as at an apiserver. To be used
 * on a thread that may block.
 */
final class ResponseBody {
  /** Below this size no response is compressed, as at an apiserver. */
  static final int BUFFERED_BYTES = 128 << 10;

  private static final int PIECE = 64 << 10;

  private final Exchange exchange;
  private final @Nullable PrettyPrinter printer;
  private final ByteBuilder pending = new ByteBuilder(PIECE / 4);
  private @Nullable OutputStream sink;

  ResponseBody(Exchange exchange) {
    this.exchange = exchange;
    this.printer = exchange.layout() == Exchange.Layout.PRETTY ? new PrettyPrinter() : null;
  }

  /** Takes the bytes of a builder and clears it. */
  void write(ByteBuilder json) throws IOException {
    if (printer == null) {
      pending.append(json.array(), 0, json.size());
    } else {
      printer.print(json.array(), 0, json.size(), pending);
    }
    json.clear();
    if (pending.size() >= (sink == null ? BUFFERED_BYTES : PIECE)) {
      send();
    }
  }

  private void send() throws IOException {
    OutputStream to = sink;
    if (to == null) {
      to = Content.Sink.asOutputStream(exchange.response());
      if (exchange.acceptsGzip()) {
        exchange.response().getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
        exchange.response().getHeaders().put(HttpHeader.VARY, "Accept-Encoding");
        to = new FastGzip(to);
      }
      sink = to;
    }
    to.write(pending.array(), 0, pending.size());
    pending.clear();
  }

  /** Sends the remaining bytes, and ends the response. */
  void finish() throws IOException {
    OutputStream to = sink;
    if (to == null) {
      Response response = exchange.response();
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, pending.size());
      Content.Sink.write(response, true, pending.asBuffer());
    } else {
      send();
      to.close();
    }
  }

  /** Gzip at the level that an apiserver uses. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out, PIECE);
      def.setLevel(1);
    }
  }
}
