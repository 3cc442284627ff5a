package io.watchgate.server;

import io.watchgate.http.ProxySettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the Kubernetes read API.
 *
 * @param listen address; port 0 takes a free one
 * @param clients authorities of client certificates; empty: none are requested
 */
public record KubeApiSettings(
    InetSocketAddress listen, ProxySettings proxy, Optional<ClientAuthoritySource> clients) {
  /**
   * Interval at which the authorities of client certificates are read again; a new one signs
   * certificates long before the old one expires.
   */
  static final Duration AUTHORITIES_INTERVAL = Duration.ofMinutes(1);
}
