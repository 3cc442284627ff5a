package io.watchgate.kube;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A proxy on the way to the apiserver ({@code proxy-url}).
 *
 * @param user empty: it wants no credentials
 */
record ProxyAddress(Kind kind, String host, int port, String user, String password) {

  /** What is spoken to it. */
  enum Kind {
    HTTP(80),
    HTTPS(443),
    SOCKS5(1080);

    private final int defaultPort;

    Kind(int defaultPort) {
      this.defaultPort = defaultPort;
    }
  }

  static @Nullable ProxyAddress of(ConfigSection cluster) throws ConfigException {
    String text = cluster.text("proxy-url");
    if (text.isEmpty()) {
      return null;
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw cluster.error("proxy-url is not a URL such as http://10.0.0.1:3128");
    }
    Kind kind =
        switch (String.valueOf(uri.getScheme())) {
          case "http" -> Kind.HTTP;
          case "https" -> Kind.HTTPS;
          case "socks5" -> Kind.SOCKS5;
          default ->
              throw cluster.error("proxy-url must begin with http://, https:// or socks5://");
        };
    String host = uri.getHost();
    if (host == null || uri.getPort() == 0 || uri.getPort() > 65535) {
      throw cluster.error("proxy-url names no host and port, such as http://10.0.0.1:3128");
    }
    String info = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    int colon = info.indexOf(':');
    ProxyAddress proxy =
        new ProxyAddress(
            kind,
            host.replaceAll("^\\[|]$", ""),
            uri.getPort() < 0 ? kind.defaultPort : uri.getPort(),
            decoded(colon < 0 ? info : info.substring(0, colon)),
            decoded(colon < 0 ? "" : info.substring(colon + 1)));
    if (kind == Kind.SOCKS5
        && (length(proxy.user) > 255 || length(proxy.password) > 255)) { // RFC 1929
      throw cluster.error("proxy-url holds a user or password that is too long for SOCKS5");
    }
    return proxy;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Has a client go this way, but for TLS to the proxy. */
  void applyTo(OkHttpClient.Builder client, Duration probes) {
    switch (kind) {
      case HTTP, HTTPS ->
          client
              .proxy(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host, port)))
              .proxyAuthenticator((route, response) -> authenticated(response));
      case SOCKS5 ->
          client
              .proxy(Proxy.NO_PROXY)
              .dns(Socks5Socket.UNRESOLVED)
              .socketFactory(new RawSockets(() -> new Socks5Socket(this), probes));
    }
  }

  /** Null where there is nothing to show, or it was shown already. */
  private @Nullable Request authenticated(Response response) {
    String header = "Proxy-Authorization";
    return user.isEmpty() || response.request().header(header) != null
        ? null
        : response
            .request()
            .newBuilder()
            .header(header, okhttp3.Credentials.basic(user, password, StandardCharsets.UTF_8))
            .build();
  }

  /** Without credentials. */
  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT)
        + "://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port;
  }
}
