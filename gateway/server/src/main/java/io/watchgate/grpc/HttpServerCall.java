package io.watchgate.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server call of gRPC whose request arrived over the HTTP server, and whose responses a {@link
 * CallOutput} sends. The handler of the method, and the output, run on one event loop, as for a
 * call over gRPC. Thread-safe: a call from another thread is passed to that loop.
 */
final class HttpServerCall<Q, A> extends ServerCall<Q, A> implements CallOutputListener {
  private static final Logger log = LoggerFactory.getLogger(HttpServerCall.class);

  private final MethodDescriptor<Q, A> method;
  private final EventLoop loop;
  private final CallOutput output;
  private final Attributes attributes;
  private final Runnable onRelease;

  // Used on the event loop only.
  private ServerCall.Listener<Q> listener = new ServerCall.Listener<>() {};
  private boolean closed;
  private boolean released;

  private volatile boolean cancelled;

  /**
   * @param onRelease run once, when the output has released the call
   */
  HttpServerCall(
      MethodDescriptor<Q, A> method,
      EventLoop loop,
      HttpClientInfo client,
      CallOutput output,
      Runnable onRelease) {
    this.method = method;
    this.loop = loop;
    this.output = output;
    this.onRelease = onRelease;
    this.attributes =
        Attributes.newBuilder()
            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, client.remote())
            .set(HttpClientInfo.KEY, client)
            .build();
  }

  /** Starts the call on its event loop, with its only request. From any thread. */
  void start(ServerCallHandler<Q, A> handler, Metadata headers, Q request) {
    loop.execute(
        () -> {
          output.begin(this, loop);
          try {
            listener = handler.startCall(this, headers);
            if (released) { // within the start, when the listener was not known yet
              tellRelease();
            } else if (!closed) {
              listener.onMessage(request);
              listener.onHalfClose();
            }
          } catch (RuntimeException e) {
            log.error("a call of {} could not be started", method.getFullMethodName(), e);
            endInternal();
          }
        });
  }

  private void run(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      log.debug("an event of a call came after the end of its event loop", e);
      onRelease.run();
    }
  }

  // ---- from the handler of the method

  /** Does nothing: the only request is passed on at once. */
  @Override
  public void request(int count) {}

  /** Does nothing: an output sends its headers with the first message, or with the end. */
  @Override
  public void sendHeaders(Metadata headers) {}

  @Override
  public void sendMessage(A message) {
    byte[] encoded = encode(message); // here: a page of a list may have 64 MiB
    run(
        () -> {
          if (!closed && !released) {
            output.send(encoded);
          }
        });
  }

  private byte[] encode(A message) {
    try (InputStream encoded = method.streamResponse(message)) {
      byte[] bytes = new byte[encoded.available()]; // it knows its length
      if (encoded.readNBytes(bytes, 0, bytes.length) < bytes.length) {
        throw new IllegalStateException("a message is shorter than it says");
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it is in memory
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    run(() -> endNow(status, trailers));
  }

  private void endNow(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      if (!released) {
        output.end(CallStatus.of(status, trailers));
      }
    }
  }

  @Override
  public boolean isReady() {
    return !closed && !released && output.isReady();
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public MethodDescriptor<Q, A> getMethodDescriptor() {
    return method;
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  // ---- from the output

  @Override
  public void onReady() {
    run(
        () -> {
          if (!closed && !released) {
            listener.onReady();
          }
        });
  }

  @Override
  public void onGone() {
    run(
        () -> {
          cancelled = true;
          release();
        });
  }

  @Override
  public void onFailed(RuntimeException failure) {
    run(
        () -> {
          if (!closed && !released) {
            log.error("the transport of a {} call failed", method.getFullMethodName(), failure);
            endInternal();
          }
        });
  }

  private void endInternal() {
    StatusRuntimeException internal = GrpcErrors.internal();
    endNow(internal.getStatus(), GrpcErrors.trailers(internal));
  }

  @Override
  public void onEnded() {
    run(this::release);
  }

  private void release() {
    if (!released) {
      released = true;
      onRelease.run();
      tellRelease();
    }
  }

  private void tellRelease() {
    if (cancelled) {
      listener.onCancel();
    } else {
      listener.onComplete();
    }
  }
}
