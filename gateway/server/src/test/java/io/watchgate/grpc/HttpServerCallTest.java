package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.DefaultEventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Test of a call whose output fails. */
final class HttpServerCallTest {
  /** Output that records the end, and fails once more during it. */
  private static final class RecordingOutput implements CallOutput {
    final CompletableFuture<CallOutputListener> begun = new CompletableFuture<>();
    final CompletableFuture<CallStatus> ending = new CompletableFuture<>();

    @Override
    public void begin(CallOutputListener call, ScheduledExecutorService loop) {
      begun.complete(call);
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void send(byte[] message) {}

    @Override
    public void end(CallStatus ended) {
      assertThat(ending.complete(ended)).as("ended once").isTrue();
      begun.join().onFailed(new IllegalStateException("again"));
      begun.join().onEnded();
    }
  }

  private static HttpServerCall<ListResourceTypesRequest, ListResourceTypesResponse> call(
      EventLoop loop, RecordingOutput output, CountDownLatch released) {
    return new HttpServerCall<>(
        WatchServiceGrpc.getListResourceTypesMethod(),
        loop,
        new HttpClientInfo(
            "events",
            "test",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            List.of()),
        output,
        released::countDown);
  }

  private static void assertInternal(CallStatus ending) {
    assertThat(ending.status().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(ending.action()).isEqualTo(CallStatus.Action.RESUME);
    assertThat(ending.trailers().get(GrpcErrors.REASON)).isEqualTo("UNSPECIFIED");
  }

  @Test
  void failureOfTheStart_endsTheCallWithInternal() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    RecordingOutput output = new RecordingOutput();
    try {
      call(loop, output, new CountDownLatch(1))
          .start(
              (_, _) -> {
                throw new IllegalStateException("broken");
              },
              new Metadata(),
              ListResourceTypesRequest.getDefaultInstance());

      assertInternal(output.ending.get(3, TimeUnit.MINUTES));
    } finally {
      var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  @Test
  void failureOfTheTransport_endsTheCallWithInternal() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    RecordingOutput output = new RecordingOutput();
    CountDownLatch completed = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try {
      call(loop, output, released)
          .start(
              (_, _) ->
                  new ServerCall.Listener<>() {
                    @Override
                    public void onComplete() {
                      completed.countDown();
                    }
                  },
              new Metadata(),
              ListResourceTypesRequest.getDefaultInstance());

      output.begun.get(3, TimeUnit.MINUTES).onFailed(new IllegalStateException("broken"));

      assertInternal(output.ending.get(3, TimeUnit.MINUTES));
      assertThat(completed.await(3, TimeUnit.MINUTES)).isTrue();
      assertThat(released.await(3, TimeUnit.MINUTES)).isTrue();
    } finally {
      var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }
}
