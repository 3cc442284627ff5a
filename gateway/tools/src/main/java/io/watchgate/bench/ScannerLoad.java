package io.watchgate.bench;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/**
 * Load of a hostile scanner, which calls reflection, existing and unknown methods with random bytes
 * as requests. The run returns once all calls were answered or rejected.
 */
final class ScannerLoad {
  private static final int CALLS = 100;
  private static final int MAX_REQUEST_BYTES = 2_000;

  private static final List<String> METHODS =
      List.of(
          "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
          "grpc.health.v1.Health/Check",
          "admin.v1.Admin/Dump",
          WatchServiceGrpc.getListObjectsMethod().getFullMethodName(),
          WatchServiceGrpc.getListAndWatchMethod().getFullMethodName());

  private final ManagedChannel channel;
  private final SplittableRandom random;

  ScannerLoad(ManagedChannel channel, SplittableRandom random) {
    this.channel = channel;
    this.random = random;
  }

  void run() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(CALLS);
    for (int i = 0; i < CALLS; i++) {
      call(METHODS.get(i % METHODS.size()), closed);
    }
    closed.await();
  }

  private void call(String method, CountDownLatch closed) {
    byte[] request = new byte[random.nextInt(MAX_REQUEST_BYTES)];
    random.nextBytes(request);
    ClientCall<byte[], byte[]> call =
        channel.newCall(
            MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName(method)
                .setRequestMarshaller(Bytes.AS_THEY_ARE)
                .setResponseMarshaller(Bytes.AS_THEY_ARE)
                .build(),
            CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            closed.countDown();
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage(request);
    call.halfClose();
  }

  private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
    AS_THEY_ARE;

    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
