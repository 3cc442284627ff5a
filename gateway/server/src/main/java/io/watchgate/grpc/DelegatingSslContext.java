package io.watchgate.grpc;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * SslContext that delegates each new connection to the current context of a supplier. A server
 * keeps one SslContext until it is closed. Thread-safe if the supplier is.
 */
final class DelegatingSslContext extends SslContext {
  private final Supplier<SslContext> current;

  DelegatingSslContext(Supplier<SslContext> current) {
    this.current = current;
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.get().newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current.get().newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public boolean isClient() {
    return current.get().isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.get().cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract there
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.get().applicationProtocolNegotiator();
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.get().sessionContext();
  }
}
