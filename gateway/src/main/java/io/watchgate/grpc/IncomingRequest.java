package io.watchgate.grpc;

import io.grpc.Context;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.watchgate.feed.Refusal;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one call holds of its request, from its first byte until the client has said that it was
 * all. gRPC tells of bytes as they come, and calls on the call's loop.
 */
final class IncomingRequest extends ServerStreamTracer {
  private static final Context.Key<IncomingRequest> KEY = Context.key("watchgate-request");

  /** A call with its headers, of which there may be 8 KiB, but usually is a tenth. */
  private static final int CALL_BYTES = 2 << 10;

  /** Each piece keeps the buffer alive that it was read into, however small it is. */
  private static final int PIECE_BYTES = 2 << 10;

  /** How much larger a message may be once it is read: many short texts. */
  private static final int READ_FACTOR = 16;

  private final IncompleteRequests others;
  private @Nullable Consumer<Refusal> whenRefused;
  private long bytes;
  private boolean ended;

  IncomingRequest(IncompleteRequests others) {
    this.others = others;
    others.begin(this);
    hold(CALL_BYTES);
  }

  /** Of the call that is being started on this thread. */
  static IncomingRequest current() {
    return Objects.requireNonNull(KEY.get(), "no call is being started here");
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(KEY, this);
  }

  /** What ends the call if its request has to go before it is complete. */
  void whenRefused(Consumer<Refusal> end) {
    if (!ended) {
      whenRefused = end;
    }
  }

  long bytes() {
    return bytes;
  }

  @Override
  public void inboundWireSize(long piece) {
    hold(bytes + piece + PIECE_BYTES);
  }

  /** Of what is larger than a request may be, nothing is kept. */
  @Override
  public void inboundMessageRead(int number, long wireSize, long plainSize) {
    long size = plainSize < 0 ? RequestMarshaller.MAX_BYTES : plainSize;
    hold(CALL_BYTES + READ_FACTOR * Math.min(size, RequestMarshaller.MAX_BYTES));
  }

  private void hold(long now) {
    if (!ended) {
      long more = now - bytes;
      bytes = now;
      others.charge(more);
    }
  }

  /** The client has sent all of it. */
  void complete() {
    ended = true;
    whenRefused = null;
    others.end(this);
  }

  @Override
  public void streamClosed(Status status) {
    complete();
  }

  void refuse(Refusal refusal) {
    Consumer<Refusal> end = whenRefused;
    complete();
    if (end != null) {
      end.accept(refusal);
    }
  }
}
