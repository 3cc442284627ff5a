package io.watchgate.server;

import io.watchgate.http.ProxySettings;
import java.net.InetSocketAddress;

/**
 * Settings of the Kubernetes read API.
 *
 * @param listen address; port 0 takes a free one
 */
public record KubeApiSettings(InetSocketAddress listen, ProxySettings proxy) {}
