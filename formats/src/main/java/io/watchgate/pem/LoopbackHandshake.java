package io.watchgate.pem;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * In-memory TLS handshake between a server's engine and a client that trusts every certificate. It
 * checks that a library can serve with a key; creating a context does not check this.
 */
public final class LoopbackHandshake {
  /** Limit of steps; a handshake with a long certificate chain has a few dozen records. */
  private static final int MAX_STEPS = 500;

  /** Capacity for all bytes that one side sends before the other side reads them. */
  private static final int BUFFER_BYTES = 1 << 17;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private LoopbackHandshake() {}

  /**
   * Runs the handshake; the engine cannot be used afterwards.
   *
   * @param server engine that requests no client certificate
   * @param protocol {@code TLSv1.2} or {@code TLSv1.3}, the only one that the client offers
   * @throws SSLException if either side refuses it
   */
  public static void check(SSLEngine server, String protocol) throws SSLException {
    SSLEngine client = client(protocol);
    server.setUseClientMode(false);
    ByteBuffer fromClient = ByteBuffer.allocate(BUFFER_BYTES);
    ByteBuffer fromServer = ByteBuffer.allocate(BUFFER_BYTES);
    ByteBuffer data = ByteBuffer.allocate(BUFFER_BYTES);
    try {
      client.beginHandshake();
      server.beginHandshake();
      for (int i = 0; i < MAX_STEPS; i++) {
        step(client, fromServer, fromClient, data);
        step(server, fromClient, fromServer, data);
        if (isDone(client) && isDone(server)) {
          return;
        }
      }
      throw new SSLException("the handshake does not end");
    } finally {
      client.closeOutbound();
      server.closeOutbound();
    }
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out, ByteBuffer data)
      throws SSLException {
    runTasks(engine);
    engine.wrap(NOTHING, out);
    in.flip();
    if (in.hasRemaining()) {
      engine.unwrap(in, data.clear());
    }
    in.compact();
    runTasks(engine);
  }

  private static void runTasks(SSLEngine engine) {
    @Nullable Runnable task = engine.getDelegatedTask();
    while (task != null) {
      task.run();
      task = engine.getDelegatedTask();
    }
  }

  private static SSLEngine client(String protocol) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new UncheckedTrustManager()}, null);
      SSLEngine client = context.createSSLEngine();
      client.setUseClientMode(true);
      SSLParameters parameters = client.getSSLParameters();
      parameters.setProtocols(new String[] {protocol});
      parameters.setApplicationProtocols(new String[] {"h2"});
      client.setSSLParameters(parameters);
      return client;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK can do this", e);
    }
  }
}
