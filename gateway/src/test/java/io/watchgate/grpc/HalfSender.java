package io.watchgate.grpc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;

/**
 * Client that begins requests and does not end them, in frames of one byte. It writes HTTP/2 frames
 * itself.
 */
final class HalfSender implements AutoCloseable {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int CONTINUATION = 9;
  private static final int ACK = 1;
  private static final int FRAME_BYTES = 1 << 14;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private int next = 1;

  HalfSender(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /**
   * @param connected socket with TLS or without
   */
  HalfSender(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(30_000);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    in = new DataInputStream(socket.getInputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  /** Sends {@code bytes} bytes of a request with a longer announced length; returns the stream. */
  int begin(String method, int bytes) throws IOException {
    int stream = next;
    next += 2;
    frame(HEADERS, END_HEADERS, stream, headers(method));
    frame(DATA, 0, stream, new byte[] {0, 0, 0, (byte) 0xFF, (byte) 0xFF});
    for (int i = 0; i < bytes; i++) {
      frame(DATA, 0, stream, new byte[1]);
    }
    out.flush();
    return stream;
  }

  /** Begins a stream with a header of HTTP/1.1, for which the server has to reset the stream. */
  void beginBroken(String method) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(headers(method));
    literal(block, "connection", "close");
    frame(HEADERS, END_HEADERS, next, block.toByteArray());
    next += 2;
    out.flush();
  }

  /** Sends a complete request; returns the stream. */
  int ask(String method, byte[] request) throws IOException {
    int stream = next;
    next += 2;
    frame(HEADERS, END_HEADERS, stream, headers(method));
    byte[] message = new byte[5 + request.length];
    message[4] = (byte) request.length; // below 256 bytes
    System.arraycopy(request, 0, message, 5, request.length);
    frame(DATA, END_STREAM, stream, message);
    out.flush();
    return stream;
  }

  /** Sends a ping. */
  void ping() throws IOException {
    frame(PING, 0, 0, new byte[8]);
    out.flush();
  }

  /** Reads until the answer to a ping. */
  void awaitPong() throws IOException {
    Frame frame = read();
    while (frame.type != PING || (frame.flags & ACK) == 0) {
      frame = read();
    }
  }

  /** Reads until the server closes the connection; returns the text of its GOAWAY. */
  String awaitGoAway() throws IOException {
    Frame frame = read();
    while (frame.type != GO_AWAY) {
      frame = read();
    }
    return frame.payload;
  }

  private record Frame(int type, int flags, int stream, String payload) {}

  private Frame read() throws IOException {
    int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    return new Frame(type, flags, stream, new String(in.readNBytes(length), US_ASCII));
  }

  /** Resets a stream. */
  void reset(int stream) throws IOException {
    frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
    out.flush();
  }

  /** Begins a stream with incomplete headers of {@code bytes} bytes; returns once all are sent. */
  void beginWithoutEnd(String method, int bytes) throws IOException {
    int stream = next;
    next += 2;
    frame(HEADERS, 0, stream, headers(method));
    for (int sent = 0; sent < bytes; sent += FRAME_BYTES) {
      frame(CONTINUATION, 0, stream, new byte[FRAME_BYTES]);
      out.flush();
    }
  }

  /** Begins a stream with headers that never end. */
  void beginWithoutEnd(String method) throws IOException {
    int stream = next;
    next += 2;
    frame(HEADERS, 0, stream, headers(method));
    while (true) {
      // An unknown header: x: yyy...
      byte[] more = new byte[3 + 1 + 100];
      more[1] = 1;
      more[2] = 'x';
      more[3] = 100;
      Arrays.fill(more, 4, more.length, (byte) 'y');
      frame(CONTINUATION, 0, stream, more);
      out.flush();
    }
  }

  /** Returns the next stream that the server ends. */
  int awaitEnd() throws IOException {
    while (true) {
      Frame frame = read();
      if (frame.type == RST_STREAM || (frame.type == HEADERS && (frame.flags & END_STREAM) != 0)) {
        return frame.stream;
      }
    }
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** Encodes literals without indexing (RFC 7541, 6.2.2). */
  private static byte[] headers(String method) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (String[] header :
        new String[][] {
          {":method", "POST"},
          {":scheme", "http"},
          {":path", "/" + method},
          {":authority", "localhost"},
          {"content-type", "application/grpc"},
          {"te", "trailers"}
        }) {
      literal(block, header);
    }
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String... header) throws IOException {
    block.write(0);
    for (String text : header) {
      block.write(text.length());
      block.write(text.getBytes(US_ASCII));
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
