package io.watchgate.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Response over HTTP/1.1 whose chunks are complete when they are sent, and which says that its
 * connection closes if the body of the request has not arrived.
 *
 * <p>Jetty sends the line end of a chunk with the next chunk. A client that waits for the line end,
 * such as the official Python client, would get each event of a watch only with the next event.
 * Jetty also closes a connection on which the rest of a body may arrive without announcing that: a
 * client with a pool would send its next request there.
 */
final class ChunkedResponse extends Response.Wrapper {
  /** Eight digits and a line end. */
  private static final int MAX_HEAD = 10;

  /** Maximum number of pieces of a body that are discarded, of some KiB each. */
  private static final int MAX_DISCARDED = 64;

  private static final byte[] LINE_END = {'\r', '\n'};
  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private boolean begun;
  private boolean chunked;

  private ChunkedResponse(Request request, Response response) {
    super(request, response);
  }

  /** Returns the response, with complete chunks if its protocol has chunks. */
  static Response of(Request request, Response response) {
    return !(response instanceof ChunkedResponse)
            && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1
        ? new ChunkedResponse(request, response)
        : response;
  }

  @Override
  public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
    if (!begun) {
      begun = true;
      chunked =
          !last
              && !getHeaders().contains(HttpHeader.CONTENT_LENGTH)
              && !HttpMethod.HEAD.is(getRequest().getMethod());
      if (chunked) {
        getHeaders().put(HttpHeader.TRANSFER_ENCODING, HttpHeaderValue.CHUNKED.asString());
      }
      if (hasBody() && !discardBody()) {
        getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
      }
    }
    super.write(last, chunked ? chunk(last, content) : content, callback);
  }

  private boolean hasBody() {
    HttpFields headers = getRequest().getHeaders();
    return headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0
        || headers.contains(HttpHeader.TRANSFER_ENCODING);
  }

  /** Discards what has arrived of the body and was not read; returns whether that was the end. */
  private boolean discardBody() {
    if (getRequest().getHeaders().contains(HttpHeader.EXPECT)) {
      return false; // the client may wait before it sends the body
    }
    for (int i = 0; i < MAX_DISCARDED; i++) {
      Content.Chunk piece = getRequest().read();
      if (piece == null || Content.Chunk.isFailure(piece)) {
        return false;
      }
      piece.release();
      if (piece.isLast()) {
        return true;
      }
    }
    return false;
  }

  private static ByteBuffer chunk(boolean last, @Nullable ByteBuffer content) {
    int size = content == null ? 0 : content.remaining();
    ByteBuffer chunk = ByteBuffer.allocate(MAX_HEAD + size + LINE_END.length + LAST_CHUNK.length);
    if (content != null && size > 0) { // a chunk of size 0 is the last one
      chunk.put((Integer.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      chunk.put(content).put(LINE_END);
    }
    return (last ? chunk.put(LAST_CHUNK) : chunk).flip();
  }

  /** Handler that gives another one such responses to write to. */
  static final class Requests extends Handler.Wrapper {
    Requests(Handler handler) {
      super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      return super.handle(request, of(request, response), callback);
    }
  }

  /** Connections whose responses are sent as they are if they say that they are in chunks. */
  static final class Connections extends HttpConnectionFactory {
    Connections(HttpConfiguration configuration) {
      super(configuration);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
      HttpConnection connection =
          new HttpConnection(getHttpConfiguration(), connector, endPoint) {
            @Override
            protected HttpGenerator newHttpGenerator() {
              return new Generator();
            }
          };
      return configure(connection, connector, endPoint);
    }
  }

  private static final class Generator extends HttpGenerator {
    private boolean hasChunks;

    @Override
    public Result generateResponse(
        MetaData.Response info,
        boolean head,
        ByteBuffer header,
        ByteBuffer chunk,
        ByteBuffer content,
        boolean last)
        throws IOException {
      if (isState(State.START) && info != null) {
        hasChunks = info.getHttpFields().contains(HttpHeader.TRANSFER_ENCODING);
      }
      return super.generateResponse(info, head, header, chunk, content, last);
    }

    @Override
    public boolean isChunking() {
      return super.isChunking() && !hasChunks;
    }
  }
}
