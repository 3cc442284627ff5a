package io.watchgate.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
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
  private static final int WAIT_CHECK_SECONDS = 1;

  /** Buffers of a body whatever it contains: those of gzip and of the server. */
  private static final long FIXED_BYTES = 64 << 10;

  private final ApiExchange exchange;
  private final BooleanSupplier mayContinue;
  private final @Nullable PrettyPrinter printer;
  private final ByteBuilder pending = new ByteBuilder(PIECE / 4);
  private @Nullable OutputStream sink;

  /**
   * @param mayContinue whether the body may still be sent; asked before each piece, and each second
   *     while one waits for the client to read
   */
  ResponseBody(ApiExchange exchange, BooleanSupplier mayContinue) {
    this.exchange = exchange;
    this.mayContinue = mayContinue;
    this.printer = exchange.layout() == ApiExchange.Layout.PRETTY ? new PrettyPrinter() : null;
  }

  /**
   * Returns the heap of a body until it is sent.
   *
   * @param most bytes of a single write
   */
  static long heapBytes(long most) {
    return FIXED_BYTES + BUFFERED_BYTES + 2 * most; // those of the writer, and their copy
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
      to = new Output();
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
      new Output().send(true, pending.asBuffer());
    } else {
      send();
      to.close();
    }
  }

  /** Output that fails as soon as it may not wait any more. */
  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value});
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      send(false, ByteBuffer.wrap(bytes, from, length));
    }

    @Override
    public void close() throws IOException {
      send(true, ByteBuffer.allocate(0));
    }

    private void send(boolean last, ByteBuffer bytes) throws IOException {
      if (!last) { // a complete answer is sent in any case
        requireContinuation();
      }
      Callback.Completable written = new Callback.Completable();
      exchange.response().write(last, bytes, written);
      while (true) {
        try {
          written.get(WAIT_CHECK_SECONDS, TimeUnit.SECONDS);
          return;
        } catch (TimeoutException e) {
          requireContinuation();
        } catch (ExecutionException e) {
          throw new IOException(e.getCause());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("the gateway ends");
        }
      }
    }
  }

  private void requireContinuation() throws IOException {
    if (!mayContinue.getAsBoolean()) {
      throw new IOException(
          "the answer is read too slowly: its state is no longer held, since too much has changed"
              + " or memory is short");
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
