package io.watchgate.http;

import java.util.Locale;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Check of the host name of a request to a server without authentication on loopback. The page of
 * another site can read from such a server after its own name was made to resolve to this machine
 * (DNS rebinding); its requests then have that name. An address as host is no such name. Accepted
 * requests are left to the next handler.
 */
public final class LocalHostHandler extends Handler.Abstract.NonBlocking {
  private final ProxyMetrics metrics;

  /**
   * @param metrics counts the refused requests
   */
  public LocalHostHandler(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String host = Request.getServerName(request);
    if (host == null || isLocal(host.toLowerCase(Locale.ROOT))) {
      return false;
    }
    metrics.answered("other", AnswerSource.GATEWAY, "403");
    ApiExchange exchange = ApiExchange.of(request, response, callback);
    exchange.source(AnswerSource.GATEWAY);
    exchange.refuse(StatusErrors.foreignHost());
    return true;
  }

  private static boolean isLocal(String host) {
    return host.equals("localhost")
        || host.startsWith("[")
        || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  }
}
