package io.watchgate.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * Response of an HTTP request that is written piece by piece, without blocking, one write at a
 * time. Methods run on the thread of its executor unless they say otherwise.
 *
 * <p>A response that waits for its next piece may last for any time. A write without progress for
 * the idle timeout of the server ends it.
 */
public final class StreamedResponse {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Executor thread;
  private final Listener listener;
  private final Queue<ByteBuffer> waiting = new ArrayDeque<>(2);
  private final AtomicReference<Write> write = new AtomicReference<>(Write.NONE);
  private State state = State.OPEN;

  /** Receiver of the events of a response. Called on the thread of its executor. */
  public interface Listener {
    /** All pieces have been written; the next one can be. */
    void onReady();

    /** The client is gone, or did not read for too long. Called once; nothing follows. */
    void onGone();

    /** The end has been written. Called once; nothing follows. */
    void onEnded();
  }

  /** State of the present write; also read by the transport. */
  private enum Write {
    NONE,
    /** The call that starts the write has not returned. */
    STARTING,
    PENDING
  }

  private enum State {
    OPEN,
    /** Nothing follows but the end. */
    ENDING,
    LAST_WRITE,
    ENDED
  }

  /**
   * Creates the response of a request; nothing is sent yet.
   *
   * @param callback callback of the request, which this object completes
   * @param thread runs one task at a time, in order
   */
  public StreamedResponse(
      Request request, Response response, Callback callback, Executor thread, Listener listener) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.thread = thread;
    this.listener = listener;
    request.addIdleTimeoutListener(_ -> write.get() != Write.NONE);
    request.addFailureListener(_ -> thread.execute(this::abort));
  }

  /**
   * Ends the connection of a request, or its stream of HTTP/2, without an answer and without a line
   * in the log. After an error of the server a browser would not come back.
   */
  public static void abandon(Callback callback, Throwable cause) {
    callback.failed(new AbandonedException(cause));
  }

  /** Exception for which Jetty makes no answer, and which it does not log with its stack. */
  private static final class AbandonedException extends Request.Handler.AbortException
      implements QuietException {
    private static final long serialVersionUID = 1;

    AbandonedException(Throwable cause) {
      super(cause);
    }
  }

  /** Sets the status, before the first piece. */
  public void setStatus(int status) {
    response.setStatus(status);
  }

  /** Returns the headers, which can be changed until the first piece. */
  public HttpFields.Mutable headers() {
    return response.getHeaders();
  }

  /** Returns whether a piece can be written without queueing it. */
  public boolean isReady() {
    return state == State.OPEN && write.get() == Write.NONE;
  }

  /** Writes a piece, at once if it is ready. */
  public void write(ByteBuffer piece) {
    if (state == State.OPEN) {
      waiting.add(piece);
      writeNext();
    }
  }

  /** Ends the response after the pieces that were written. */
  public void end() {
    if (state == State.OPEN) {
      state = State.ENDING;
      writeNext();
    }
  }

  /** Ends the response if its client has closed the connection. */
  public void checkConnection() {
    try {
      DisconnectDetector.check(request);
    } catch (IOException e) {
      abort();
    }
  }

  private void writeNext() {
    if (write.get() != Write.NONE || state == State.LAST_WRITE || state == State.ENDED) {
      return;
    }
    ByteBuffer next = waiting.poll();
    if (next != null) {
      start(/* last= */ false, next);
    } else if (state == State.ENDING) {
      state = State.LAST_WRITE;
      start(/* last= */ true, NOTHING);
    }
  }

  private void start(boolean last, ByteBuffer bytes) {
    write.set(Write.STARTING);
    response.write(
        last,
        bytes,
        Callback.from(
            InvocationType.NON_BLOCKING, this::onWritten, _ -> thread.execute(this::abort)));
    if (!write.compareAndSet(Write.STARTING, Write.PENDING)) {
      onIdle();
    }
  }

  /** Called by any thread, perhaps before the call that started the write returns. */
  private void onWritten() {
    if (write.compareAndSet(Write.STARTING, Write.NONE)) {
      return;
    }
    thread.execute(
        () -> {
          write.set(Write.NONE);
          onIdle();
          if (isReady()) {
            listener.onReady();
          }
        });
  }

  private void onIdle() {
    if (state == State.LAST_WRITE) {
      state = State.ENDED;
      callback.succeeded();
      listener.onEnded();
    } else {
      writeNext();
    }
  }

  private void abort() {
    if (state != State.ENDED) {
      state = State.ENDED;
      waiting.clear();
      abandon(callback, new EofException());
      listener.onGone();
    }
  }
}
