package io.watchgate.browser;

import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;

/**
 * Policy for requests that pages of other sites make (CORS). A page of another site is served only
 * if its origin is named; the others are refused before anything is opened, since a browser would
 * open the stream and only withhold it from the page.
 *
 * @param origins origins that are allowed
 */
record OriginPolicy(Set<String> origins) {
  private static final String SEC_FETCH_SITE = "Sec-Fetch-Site";

  /** Seconds for which a browser may keep the answer to a preflight request. */
  private static final int PREFLIGHT_SECONDS = 600;

  /** Returns whether the page that made the request may be served; also true without a page. */
  boolean permits(Request request) {
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    String site = request.getHeaders().get(SEC_FETCH_SITE);
    if (origin != null) {
      // Behind a proxy that ends TLS the own origin is another one; a page cannot set the header.
      return origins.contains(origin)
          || "same-origin".equals(site)
          || origin.equals(ownOrigin(request));
    }
    // An image or a script of another site: its request has no origin, and its page no answer.
    return site == null || site.equals("same-origin") || site.equals("none");
  }

  private static String ownOrigin(Request request) {
    HttpURI uri = request.getHttpURI();
    return (uri.getScheme() + "://" + uri.getAuthority()).toLowerCase(Locale.ROOT);
  }

  /** Adds the headers by which a browser gives the answer to a page of an allowed origin. */
  void addHeaders(Request request, HttpFields.Mutable headers) {
    headers.put(HttpHeader.VARY, HttpHeader.ORIGIN.asString());
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null && origins.contains(origin)) {
      headers.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
      headers.put(HttpHeader.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true"); // client certificates
      headers.put(
          HttpHeader.ACCESS_CONTROL_EXPOSE_HEADERS,
          EventStreamOutput.REASON + "," + EventStreamOutput.ACTION);
    }
  }

  /** Adds the headers of the answer to a preflight request. */
  void addPreflightHeaders(Request request, HttpMethod method, HttpFields.Mutable headers) {
    addHeaders(request, headers);
    headers.put(HttpHeader.ACCESS_CONTROL_ALLOW_METHODS, method.asString());
    headers.put(
        HttpHeader.ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization,last-event-id,cache-control,content-type,x-grpc-web,x-user-agent,"
            + "grpc-timeout,traceparent");
    headers.put(HttpHeader.ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
  }
}
