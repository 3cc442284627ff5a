package io.watchgate.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;

/**
 * Detector of clients that have closed the connection of a long response. Over HTTP/2 the server
 * itself reports a closed connection. Over HTTP/1.1 no thread reads from a connection while a
 * request is being answered, so that only the next write would fail, on a quiet watch after up to
 * an hour.
 */
final class DisconnectDetector {
  private static final int PIPELINED = 1_024;

  private DisconnectDetector() {}

  /**
   * Reads from the connection without blocking.
   *
   * @throws IOException if the client has gone
   */
  static void check(Request request) throws IOException {
    ConnectionMetaData meta = request.getConnectionMetaData();
    if (meta.getHttpVersion() != HttpVersion.HTTP_1_1
        || !(meta.getConnection() instanceof Connection.UpgradeTo connection)) {
      return;
    }
    EndPoint endPoint = meta.getConnection().getEndPoint();
    ByteBuffer early = BufferUtil.allocate(PIPELINED);
    int read = endPoint.fill(early);
    if (read < 0) {
      throw new EOFException("the client has closed the connection");
    }
    if (read > 0) {
      connection.onUpgradeTo(early); // the next request, read when this one is over
    }
  }
}
