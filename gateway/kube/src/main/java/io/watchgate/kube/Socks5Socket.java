package io.watchgate.kube;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import okhttp3.Dns;

/**
 * Socket through a SOCKS5 proxy (RFC 1928), which resolves the names, since the apiserver's name
 * may be known only behind the proxy.
 *
 * <p>OkHttp with a proxy of {@code Proxy.Type.SOCKS} leaves names to the proxy too, but uses the
 * JDK's sockets and no socket factory. They would lose the receive window and TCP keepalive. Their
 * credentials (RFC 1929) come only from the {@code Authenticator} of the process. Their errors do
 * not name the proxy, and a reply with an unknown code counts as connected.
 */
final class Socks5Socket extends KeepAliveSocketFactory.Windowed {
  /** Resolver that maps each name to a placeholder address, so that the proxy resolves the name. */
  static final Dns UNRESOLVED = host -> List.of(InetAddress.getByAddress(host, new byte[4]));

  private static final int VERSION = 5;
  private static final int NO_CREDENTIALS = 0;
  private static final int PASSWORD = 2;
  private static final List<String> REPLIES =
      List.of(
          "a failure of the proxy",
          "not allowed by its rules",
          "network unreachable",
          "host unreachable",
          "connection refused",
          "time to live expired",
          "command not supported",
          "kind of address not supported");

  private final KubeconfigProxy proxy;

  Socks5Socket(KubeconfigProxy proxy, ReceiveWindow window) {
    super(window);
    this.proxy = proxy;
  }

  @Override
  public void connect(SocketAddress endpoint, int timeout) throws IOException {
    InetSocketAddress to = new InetSocketAddress(proxy.host(), proxy.port());
    if (to.isUnresolved()) {
      throw new UnknownHostException(proxy.host());
    }
    super.connect(to, timeout);
    int before = getSoTimeout();
    setSoTimeout(timeout);
    DataInputStream in = new DataInputStream(getInputStream());
    OutputStream out = getOutputStream();
    try {
      negotiate(in, out);
      requestConnect((InetSocketAddress) endpoint, in, out);
    } catch (IOException e) {
      close();
      throw e;
    }
    setSoTimeout(before);
  }

  private void negotiate(DataInputStream in, OutputStream out) throws IOException {
    out.write(
        proxy.user().isEmpty()
            ? new byte[] {VERSION, 1, NO_CREDENTIALS}
            : new byte[] {VERSION, 2, NO_CREDENTIALS, PASSWORD});
    if (in.readUnsignedByte() != VERSION) {
      throw new SocketException("the proxy " + proxy + " does not speak SOCKS5");
    }
    switch (in.readUnsignedByte()) {
      case NO_CREDENTIALS -> {}
      case PASSWORD -> authenticate(in, out);
      default ->
          throw new SocketException(
              "the proxy "
                  + proxy
                  + (proxy.user().isEmpty()
                      ? " wants credentials; proxy-url names none"
                      : " takes no user and password"));
    }
  }

  private void authenticate(DataInputStream in, OutputStream out) throws IOException {
    byte[] user = proxy.user().getBytes(StandardCharsets.UTF_8);
    byte[] password = proxy.password().getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.write(1);
    request.write(user.length);
    request.writeBytes(user);
    request.write(password.length);
    request.writeBytes(password);
    out.write(request.toByteArray());
    in.readUnsignedByte();
    if (in.readUnsignedByte() != 0) {
      throw new SocketException("the proxy " + proxy + " refuses the user and password");
    }
  }

  private void requestConnect(InetSocketAddress target, DataInputStream in, OutputStream out)
      throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(new byte[] {VERSION, 1, 0});
    InetAddress address = target.getAddress();
    if (address.isAnyLocalAddress()) {
      byte[] name = target.getHostString().getBytes(StandardCharsets.US_ASCII);
      request.write(3);
      request.write(name.length);
      request.writeBytes(name);
    } else {
      request.write(address.getAddress().length == 4 ? 1 : 4);
      request.writeBytes(address.getAddress());
    }
    request.write(target.getPort() >> 8);
    request.write(target.getPort());
    out.write(request.toByteArray());
    in.readUnsignedByte();
    int reply = in.readUnsignedByte();
    if (reply != 0) {
      throw new SocketException(
          "the proxy "
              + proxy
              + " cannot connect: "
              + (reply <= REPLIES.size() ? REPLIES.get(reply - 1) : "reply " + reply));
    }
    in.readUnsignedByte();
    int length =
        switch (in.readUnsignedByte()) {
          case 1 -> 4;
          case 4 -> 16;
          default -> in.readUnsignedByte();
        };
    in.skipNBytes(length + 2); // the proxy's own address
  }
}
