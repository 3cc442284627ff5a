package io.watchgate.grpc;

import io.grpc.Attributes;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Client of a call that arrived over HTTP, at a server other than gRPC's.
 *
 * @param api name of the protocol for operators, as in {@code fanout.StreamIdentity}
 * @param agent user agent of the client; empty if it sent none
 * @param remote other end of the connection
 * @param certificates the client's certificate, of a trusted authority, and those after it; empty
 *     for none
 */
public record HttpClientInfo(
    String api, String agent, SocketAddress remote, List<X509Certificate> certificates) {
  /** Attribute of calls over HTTP; calls over gRPC do not have it. */
  static final Attributes.Key<HttpClientInfo> KEY = Attributes.Key.create("watchgate-http-client");

  /** Characters that are kept of a user agent. */
  static final int MAX_AGENT = 128;

  public HttpClientInfo {
    agent = agent.substring(0, Math.min(MAX_AGENT, agent.length()));
    certificates = List.copyOf(certificates);
  }

  /** The text of this object has no credentials. */
  @Override
  public String toString() {
    return api + " from " + remote;
  }
}
