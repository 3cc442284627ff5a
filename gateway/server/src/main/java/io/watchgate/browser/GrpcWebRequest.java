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
 * @param message encoded message; of one that is too large, as many bytes as show it
 */
record GrpcWebRequest(InputStream message) {
  /** Bytes that are read of a message: one more than a request may have, which is refused then. */
  private static final int MAX_BYTES = CallStarter.MAX_REQUEST_BYTES + 1;

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
   * Reads the body; blocks.
   *
   * @throws IOException if the client has gone, or sends nothing for too long
   */
  static GrpcWebRequest read(InputStream body) throws IOException, MalformedException {
    byte[] head = body.readNBytes(GrpcWebTransport.FRAME_HEAD);
    if (head.length < GrpcWebTransport.FRAME_HEAD) {
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
