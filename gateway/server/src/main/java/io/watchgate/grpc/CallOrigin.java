package io.watchgate.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.watchgate.admission.ClientAddress;
import io.watchgate.auth.Credentials;
import io.watchgate.error.AccessErrors;
import io.watchgate.fanout.TraceParent;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Origin of a call according to its headers and its connection. The credentials are one metadata
 * {@code authorization: Bearer TOKEN}, or the client certificate of the connection. Nothing else
 * that a client sends identifies the caller, least of all headers of proxies.
 *
 * @param address without the port
 * @param port 0 if there is none
 * @param traceparent {@link TraceParent} of the call; empty if it has none
 */
record CallOrigin(Credentials credentials, Object address, int port, String traceparent) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of(TraceParent.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private static final String BEARER = "bearer ";

  static CallOrigin of(ServerCall<?, ?> call, Metadata headers) {
    Iterable<String> traceparent = headers.getAll(TRACEPARENT);
    return new CallOrigin(
        credentials(call, headers),
        ClientAddress.of(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
        port(call.getAttributes()),
        traceparent == null ? "" : TraceParent.of(traceparent));
  }

  /** Returns this origin with other credentials. */
  CallOrigin with(Credentials others) {
    return new CallOrigin(others, address, port, traceparent);
  }

  private static Credentials credentials(ServerCall<?, ?> call, Metadata headers) {
    Iterable<String> sent = headers.getAll(AUTHORIZATION);
    if (sent != null) {
      return bearer(sent.iterator());
    }
    HttpClientInfo client = call.getAttributes().get(HttpClientInfo.KEY);
    if (client != null) {
      return client.certificates().isEmpty()
          ? new Credentials.None()
          : new Credentials.Certificate(client.certificates(), Credentials.Port.KUBERNETES_API);
    }
    return certificate(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
  }

  private static Credentials bearer(Iterator<String> sent) {
    String value = sent.next();
    if (sent.hasNext()) {
      return new Credentials.Unusable(AccessErrors.SEVERAL_AUTHORIZATIONS);
    }
    if (value.length() > BEARER.length() + RequestLimits.MAX_TOKEN_BYTES) {
      return new Credentials.Unusable(
          AccessErrors.authorizationTooLong(value.length(), RequestLimits.MAX_TOKEN_BYTES));
    }
    if (!value.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
      return new Credentials.Unusable(AccessErrors.NOT_A_BEARER);
    }
    String token = value.substring(BEARER.length()).strip();
    return token.isEmpty()
        ? new Credentials.Unusable(AccessErrors.EMPTY_TOKEN)
        : new Credentials.Bearer(token);
  }

  /**
   * A certificate was verified in the handshake: without a known authority there is no connection.
   */
  private static Credentials certificate(@Nullable SSLSession session) {
    if (session == null) {
      return new Credentials.None();
    }
    try {
      List<X509Certificate> chain =
          Arrays.stream(session.getPeerCertificates())
              .filter(X509Certificate.class::isInstance)
              .map(X509Certificate.class::cast)
              .toList();
      return chain.isEmpty()
          ? new Credentials.None()
          : new Credentials.Certificate(chain, Credentials.Port.GRPC);
    } catch (SSLPeerUnverifiedException e) {
      return new Credentials.None();
    }
  }

  private static int port(Attributes attributes) {
    return attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress internet
        ? internet.getPort()
        : 0;
  }
}
