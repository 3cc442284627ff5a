package io.watchgate.http;

import java.util.Locale;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Check of the host of requests to a server without authentication on loopback, against DNS
 * rebinding: a site lets its own name resolve to this machine, so that its pages may read from the
 * server. Such requests have the name of the site as host and are refused. Requests to {@code
 * localhost} or to an address are left to the next handler.
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
