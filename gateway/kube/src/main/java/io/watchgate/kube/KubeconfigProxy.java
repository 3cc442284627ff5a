package io.watchgate.kube;

import java.net.IDN;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Proxy to the apiserver that a cluster entry of a kubeconfig names ({@code proxy-url}).
 *
 * @param user empty: the proxy needs no credentials
 */
record KubeconfigProxy(Kind kind, String host, int port, String user, String password) {

  /** Protocol of the proxy. */
  enum Kind {
    HTTP(80),
    HTTPS(443),
    SOCKS5(1080);

    private final int defaultPort;

    Kind(int defaultPort) {
      this.defaultPort = defaultPort;
    }
  }

  /** Scheme and authority of a URL. */
  private static final Pattern URL = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]+).*");

  private static final Pattern USER_INFO =
      Pattern.compile("(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*");

  private static final Pattern HOST =
      Pattern.compile(
          "(?<host>\\[[0-9A-Fa-f:.]+(?:%25[A-Za-z0-9._~-]+)?]|[\\p{IsAlphabetic}0-9._~-]+)"
              + "(?::(?<port>[0-9]{0,5}))?");

  /**
   * Returns the proxy of a cluster entry, null if it has none. Accepts what Go's {@code url.Parse},
   * and so kubectl, accepts: a host with underscores, and a password with an at sign.
   */
  static @Nullable KubeconfigProxy of(KubeconfigSection cluster) throws ConfigException {
    String text = cluster.text("proxy-url");
    if (text.isEmpty()) {
      return null;
    }
    Kind kind =
        switch (text.replaceFirst(":.*", "").toLowerCase(Locale.ROOT)) {
          case "http" -> Kind.HTTP;
          case "https" -> Kind.HTTPS;
          case "socks5" -> Kind.SOCKS5;
          default ->
              throw cluster.error("proxy-url must begin with http://, https:// or socks5://");
        };
    Matcher url = URL.matcher(text);
    boolean isUrl = url.matches();
    if (!isUrl && text.matches("[a-zA-Z0-9]+:///.*")) {
      throw hostMissing(cluster);
    }
    String authority = isUrl ? url.group(2) : "";
    int at = authority.lastIndexOf('@');
    String info = at < 0 ? "" : authority.substring(0, at);
    if (!isUrl || !USER_INFO.matcher(info).matches()) {
      throw cluster.error("proxy-url is not a URL such as http://10.0.0.1:3128");
    }
    int colon = info.indexOf(':');
    KubeconfigProxy proxy =
        parseAddress(
            kind,
            HOST.matcher(authority.substring(at + 1)),
            decoded(colon < 0 ? info : info.substring(0, colon)),
            decoded(colon < 0 ? "" : info.substring(colon + 1)));
    if (proxy == null) {
      throw hostMissing(cluster);
    }
    if (kind == Kind.SOCKS5
        && (length(proxy.user) > 255 || length(proxy.password) > 255)) { // RFC 1929
      throw cluster.error("proxy-url holds a user or password that is too long for SOCKS5");
    }
    return proxy;
  }

  private static ConfigException hostMissing(KubeconfigSection cluster) {
    return cluster.error("proxy-url names no host and port, such as http://10.0.0.1:3128");
  }

  /** Returns the proxy, null if the text is no host and port. */
  private static @Nullable KubeconfigProxy parseAddress(
      Kind kind, Matcher address, String user, String password) {
    if (!address.matches()) {
      return null;
    }
    String named = address.group("port");
    int port = named == null || named.isEmpty() ? kind.defaultPort : Integer.parseInt(named);
    if (port < 1 || port > 65535) {
      return null;
    }
    String host = address.group("host");
    try {
      return new KubeconfigProxy(
          kind,
          host.startsWith("[")
              ? host.substring(1, host.length() - 1).replace("%25", "%")
              : IDN.toASCII(host),
          port,
          user,
          password);
    } catch (IllegalArgumentException e) {
      return null; // a label that is empty or too long
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Makes a client use this proxy; TLS to the proxy is set up by {@link OkHttpTls}. */
  void applyTo(OkHttpClient.Builder client, Duration probes) {
    switch (kind) {
      case HTTP, HTTPS ->
          client
              .proxy(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host, port)))
              .proxyAuthenticator((route, response) -> withCredentials(response));
      case SOCKS5 ->
          client
              .proxy(Proxy.NO_PROXY)
              .dns(Socks5Socket.UNRESOLVED)
              .socketFactory(
                  new KeepAliveSocketFactory(window -> new Socks5Socket(this, window), probes));
    }
  }

  /** Returns the request with credentials; null if there are none, or they were already sent. */
  private @Nullable Request withCredentials(Response response) {
    String header = "Proxy-Authorization";
    return (user + password).isEmpty() || response.request().header(header) != null
        ? null
        : response
            .request()
            .newBuilder()
            .header(header, okhttp3.Credentials.basic(user, password, StandardCharsets.UTF_8))
            .build();
  }

  /** Returns the URL, without credentials. */
  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT)
        + "://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port;
  }
}
