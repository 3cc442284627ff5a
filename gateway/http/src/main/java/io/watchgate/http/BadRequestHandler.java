package io.watchgate.http;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Error handler for requests that are refused before they are parsed; it answers in plain text. */
final class BadRequestHandler extends ErrorHandler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int code = response.getStatus();
    String why = request.getAttribute(ERROR_MESSAGE) instanceof String text ? text : "refused";
    Exchange.of(request, response, callback).text(code, code + ": " + why + "\n");
    return true;
  }
}
