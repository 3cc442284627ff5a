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
 * Whether the client of a long answer is still there. HTTP/2 tells by itself. In HTTP/1.1 nobody
 * reads from a connection while a request is being answered, so that its end goes unnoticed until
 * something is written, which on a quiet watch may take an hour.
 */
final class DisconnectDetector {
  private static final int PIPELINED = 1_024;

  private DisconnectDetector() {}

  /**
   * Looks, without blocking.
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
      connection.onUpgradeTo(early); // its next request, which is read when this one is over
    }
  }
}
