package io.watchgate.server;

import io.watchgate.browser.BrowserSettings;
import io.watchgate.http.HttpSettings;
import io.watchgate.http.ProxySettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the Kubernetes read API.
 *
 * @param listen address; port 0 takes a free one
 * @param clients authorities of client certificates; empty: none are requested
 * @param http timeouts; the maximum number of watches is that of streams
 */
public record KubeApiSettings(
    InetSocketAddress listen,
    ProxySettings proxy,
    Optional<ClientAuthoritySource> clients,
    BrowserSettings browsers,
    HttpSettings http) {
  /**
   * Interval at which the authorities of client certificates are read again; a new one signs
   * certificates long before the old one expires.
   */
  static final Duration AUTHORITIES_INTERVAL = Duration.ofMinutes(1);

  /** Returns settings without certificates, and with the defaults of everything else. */
  public static KubeApiSettings at(InetSocketAddress listen) {
    return new KubeApiSettings(
        listen,
        ProxySettings.DEFAULTS,
        Optional.empty(),
        BrowserSettings.DEFAULTS,
        HttpSettings.DEFAULT);
  }

  public KubeApiSettings with(BrowserSettings others) {
    return new KubeApiSettings(listen, proxy, clients, others, http);
  }

  public KubeApiSettings with(HttpSettings others) {
    return new KubeApiSettings(listen, proxy, clients, browsers, others);
  }
}
