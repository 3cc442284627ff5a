package io.watchgate.kube;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.HttpUrl;

/**
 * Server for HTTP/1.1 only: it answers 400 to everything except GET, and an empty list of version 7
 * to GET. Records the first line of every request.
 */
final class OneLineServer implements AutoCloseable {
  private static final String LIST = ListPage.of("7", "", 0, 0);
  private final ServerSocket listener;
  private final List<String> seen = new CopyOnWriteArrayList<>();

  OneLineServer() throws IOException {
    this(0);
  }

  OneLineServer(int port) throws IOException {
    listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  HttpUrl url() {
    return HttpUrl.get("http://127.0.0.1:" + listener.getLocalPort());
  }

  List<String> seen() {
    return seen;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        Thread.startVirtualThread(() -> serve(socket));
      }
    } catch (IOException e) {
      // The listener was closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        seen.add(line);
        boolean get = line.startsWith("GET ");
        while (line != null && !line.isEmpty()) {
          line = in.readLine();
        }
        String answer =
            get
                ? "HTTP/1.1 200 OK\r\nContent-Length: " + LIST.length() + "\r\n\r\n" + LIST
                : "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
        if (!get) {
          return;
        }
      }
    } catch (IOException e) {
      // The client closed the connection.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
