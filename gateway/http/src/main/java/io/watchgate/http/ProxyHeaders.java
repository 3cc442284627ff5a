package io.watchgate.http;

import io.watchgate.relay.Relay;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Headers of a proxy: those that it refuses in any request, and those that it relays. Only allowed
 * headers ({@code RELAYED}) are relayed, so no other header of a client reaches the apiserver. A
 * client cannot have an allowed header removed either, by naming it in {@code Connection}.
 */
final class ProxyHeaders {
  private static final Set<String> RELAYED =
      Set.of(
          "accept",
          "accept-encoding",
          "authorization",
          "content-type",
          "if-modified-since",
          "if-none-match",
          "kubectl-command",
          "kubectl-session",
          "user-agent");

  /** Headers of a connection, not of an answer (RFC 9110, 7.6.1). */
  private static final Set<String> OF_CONNECTION =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private ProxyHeaders() {}

  /**
   * Refuses headers by which a client could act as someone else, or by which two servers could
   * understand a request differently.
   *
   * @throws StatusException 400
   */
  static void check(HttpFields headers) throws StatusException {
    for (HttpField field : headers) {
      String name = field.getName().toLowerCase(Locale.ROOT);
      if (name.startsWith("impersonate-") || name.startsWith("x-remote-")) {
        throw StatusErrors.badRequest(
            "the header "
                + field.getName()
                + " is not served by this gateway; send such requests to the apiserver");
      }
    }
    if (headers.getValuesList(HttpHeader.AUTHORIZATION).size() > 1) {
      throw StatusErrors.badRequest("the request has more than one Authorization header");
    }
  }

  /**
   * Returns the headers to relay.
   *
   * @param client address of the client, for the apiserver's audit log
   */
  static List<Relay.Field> relayed(HttpFields headers, String client) {
    List<Relay.Field> relayed = new ArrayList<>();
    for (HttpField field : headers) {
      String value = field.getValue();
      if (RELAYED.contains(field.getName().toLowerCase(Locale.ROOT)) && value != null) {
        relayed.add(new Relay.Field(field.getName(), value));
      }
    }
    relayed.add(new Relay.Field("X-Forwarded-For", client));
    return relayed;
  }

  /** Copies the end-to-end headers of an answer (RFC 9110, 7.6.1). */
  static void copy(List<Relay.Field> from, HttpFields.Mutable to) {
    for (Relay.Field field : from) {
      String name = field.name().toLowerCase(Locale.ROOT);
      if (name.equals("date")) {
        to.put(field.name(), field.value());
      } else if (!OF_CONNECTION.contains(name)) {
        to.add(field.name(), field.value());
      }
    }
  }
}
