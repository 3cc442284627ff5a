package io.watchgate.admission;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Address of a client without its port, by which limits tell clients apart before authentication.
 * All clients behind one address, such as a proxy's, are one client.
 */
public final class ClientAddress {
  private ClientAddress() {}

  /** Returns the address of a remote end, without its port. */
  public static Object of(@Nullable SocketAddress remote) {
    return remote instanceof InetSocketAddress internet && !internet.isUnresolved()
        ? internet.getAddress()
        : String.valueOf(remote);
  }

  /** Returns the address as text for logs and messages. */
  public static String text(Object address) {
    return address instanceof InetAddress internet ? internet.getHostAddress() : address.toString();
  }
}
