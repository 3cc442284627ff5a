package io.watchgate.kube;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** SOCKS5 proxy before one server, to which it connects for every requested address. */
final class SocksStub implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final int target;
  private final String credentials;
  private final int reply;

  /**
   * Listens.
   *
   * @param credentials required credentials, {@code user:password}; empty: none
   * @param reply 0: it connects; else the code of its failure
   */
  SocksStub(int target, String credentials, int reply) throws IOException {
    this.target = target;
    this.credentials = credentials;
    this.reply = reply;
    Thread.startVirtualThread(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Returns the requested addresses, {@code host:port} each. */
  List<String> asked() {
    return asked;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        sockets.add(client);
        Thread.startVirtualThread(() -> serve(client));
      }
    } catch (IOException e) {
      // The listener was closed.
    }
  }

  private void serve(Socket client) {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      OutputStream out = client.getOutputStream();
      if (!greeted(in, out)) {
        return;
      }
      in.skipNBytes(3);
      String host =
          in.readUnsignedByte() == 3
              ? text(in)
              : InetAddress.getByAddress(in.readNBytes(4)).getHostAddress();
      asked.add(host + ":" + in.readUnsignedShort());
      out.write(new byte[] {5, (byte) reply, 0, 1, 127, 0, 0, 1, 0, 1});
      if (reply == 0) {
        pass(client, in, out);
      }
    } catch (IOException e) {
      // One side closed the connection.
    }
  }

  private boolean greeted(DataInputStream in, OutputStream out) throws IOException {
    in.readUnsignedByte();
    byte[] methods = in.readNBytes(in.readUnsignedByte());
    int wanted = credentials.isEmpty() ? 0 : 2;
    if (new String(methods, StandardCharsets.ISO_8859_1).indexOf(wanted) < 0) {
      out.write(new byte[] {5, (byte) 0xff});
      return false;
    }
    out.write(new byte[] {5, (byte) wanted});
    if (wanted == 0) {
      return true;
    }
    in.readUnsignedByte();
    boolean right = (text(in) + ":" + text(in)).equals(credentials);
    out.write(new byte[] {1, (byte) (right ? 0 : 1)});
    return right;
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.UTF_8);
  }

  private void pass(Socket client, InputStream in, OutputStream out) throws IOException {
    try (Socket server = new Socket(Proxy.NO_PROXY)) {
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      sockets.add(server);
      Thread.startVirtualThread(
          () -> {
            try (client) {
              server.getInputStream().transferTo(out);
            } catch (IOException e) {
              // One side closed the connection.
            }
          });
      in.transferTo(server.getOutputStream());
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
