package io.watchgate.grpc;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;

/** Client with the JDK's TLS, which resumes sessions if possible. */
final class TlsHandshake {
  /** The preface of HTTP/2 and empty SETTINGS: a server answers with its own. */
  private static final byte[] HELLO =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

  private static final int LIMIT_MS = 20_000;

  private final SSLSocketFactory sockets;

  TlsHandshake(HeldCertificate trusted, @Nullable HeldCertificate identity) {
    HandshakeCertificates.Builder known =
        new HandshakeCertificates.Builder().addTrustedCertificate(trusted.certificate());
    if (identity != null) {
      known.heldCertificate(identity);
    }
    this.sockets = known.build().sslContext().getSocketFactory();
  }

  /** Returns a connection after the handshake. */
  SSLSocket connect(int port) throws IOException {
    SSLSocket socket = connect(port, "TLSv1.3");
    socket.startHandshake();
    return socket;
  }

  private SSLSocket connect(int port, String protocol) throws IOException {
    SSLSocket socket = (SSLSocket) sockets.createSocket("127.0.0.1", port);
    socket.setSoTimeout(LIMIT_MS);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {protocol});
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Returns the server's certificate. */
  X509Certificate shownBy(int port) throws IOException {
    try (SSLSocket socket = connect(port, "TLSv1.3")) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /**
   * Returns whether the server sends any byte; a refused client notices only after the handshake.
   */
  boolean isLetIn(int port, String protocol) throws IOException {
    try (SSLSocket socket = connect(port, protocol)) {
      socket.getOutputStream().write(HELLO);
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return false;
    }
  }
}
