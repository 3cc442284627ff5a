package io.watchgate.browser;

import io.grpc.Status;
import io.watchgate.grpc.CallStarter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Body of a request by gRPC-Web: one message.
 *
 * @param message encoded message; if it is too large, only its first bytes, one more than allowed
 */
record GrpcWebRequest(ByteArrayInputStream message) {
  /** Bytes that are read of a message: one more than a request may have, which is refused then. */
  private static final int MAX_BYTES = CallStarter.MAX_REQUEST_BYTES + 1;

  /**
   * Bytes that are discarded of a refused body. A client that sends its body before it reads gets
   * the answer only once the body is read; the close of a connection with unread bytes resets it,
   * and the client loses the answer. The bound is 256 times the largest message, above what a
   * client sends by mistake; after it the connection is closed.
   */
  static final int MAX_DISCARDED_BYTES = 16 << 20;

  private static final int DISCARD_BUFFER_BYTES = 16 << 10;

  /** Body that is not one message. */
  static final class MalformedException extends Exception {
    private final transient Status status;

    MalformedException(Status status) {
      super(status.getDescription());
      this.status = status;
    }

    /** Returns the status of the answer. */
    Status status() {
      return status;
    }
  }

  /**
   * Reads the body; blocks. Of a body that is refused, the rest is read and discarded, at most
   * {@link #MAX_DISCARDED_BYTES}.
   *
   * @throws IOException if the client has gone, or sends nothing for too long
   */
  static GrpcWebRequest read(InputStream body) throws IOException, MalformedException {
    try {
      GrpcWebRequest request = readMessage(body);
      if (request.message().available() == MAX_BYTES) {
        discardRest(body);
      }
      return request;
    } catch (MalformedException e) {
      discardRest(body);
      throw e;
    }
  }

  private static void discardRest(InputStream body) throws IOException {
    byte[] buffer = new byte[DISCARD_BUFFER_BYTES];
    int left = MAX_DISCARDED_BYTES;
    int read = 0;
    while (left > 0 && read >= 0) {
      read = body.read(buffer, 0, Math.min(left, buffer.length));
      left -= read;
    }
  }

  private static GrpcWebRequest readMessage(InputStream body)
      throws IOException, MalformedException {
    byte[] head = body.readNBytes(GrpcWebOutput.FRAME_HEAD);
    if (head.length < GrpcWebOutput.FRAME_HEAD) {
      throw malformed("it is empty, or ends early");
    }
    if (head[0] != 0) {
      throw new MalformedException(
          Status.UNIMPLEMENTED.withDescription(
              "the request is compressed, which this gateway does not decode over gRPC-Web. Send it"
                  + " as it is."));
    }
    long length = Integer.toUnsignedLong(ByteBuffer.wrap(head).getInt(1));
    byte[] message = body.readNBytes((int) Math.min(length, MAX_BYTES));
    if (message.length < Math.min(length, MAX_BYTES)) {
      throw malformed("its message ends early");
    }
    if (message.length < MAX_BYTES && body.read() >= 0) {
      throw malformed("bytes follow its message");
    }
    return new GrpcWebRequest(new ByteArrayInputStream(message));
  }

  private static MalformedException malformed(String how) {
    return new MalformedException(
        Status.INTERNAL.withDescription(
            "the body of the request is not one message of gRPC-Web: " + how + "."));
  }
}
