package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of reflection in both of its versions: tools use either. */
final class ReflectionTest {
  private final ServerFixture fixture = new ServerFixture();
  private final Queue<ByteString> files = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    fixture.close();
  }

  private void assertServiceIsDescribed() throws Exception {
    await().until(() -> !files.isEmpty());
    assertThat(FileDescriptorProto.parseFrom(files.element()).getService(0).getName())
        .isEqualTo("WatchService");
  }

  @Test
  void v1_describesTheService() throws Exception {
    io.grpc.reflection.v1.ServerReflectionGrpc.newStub(fixture.connect())
        .serverReflectionInfo(
            new Answers<io.grpc.reflection.v1.ServerReflectionResponse>() {
              @Override
              public void onNext(io.grpc.reflection.v1.ServerReflectionResponse answer) {
                files.add(answer.getFileDescriptorResponse().getFileDescriptorProto(0));
              }
            })
        .onNext(
            io.grpc.reflection.v1.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(WatchServiceGrpc.SERVICE_NAME)
                .build());
    assertServiceIsDescribed();
  }

  @Test
  void v1alpha_describesTheService() throws Exception {
    io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(fixture.connect())
        .serverReflectionInfo(
            new Answers<io.grpc.reflection.v1alpha.ServerReflectionResponse>() {
              @Override
              public void onNext(io.grpc.reflection.v1alpha.ServerReflectionResponse answer) {
                files.add(answer.getFileDescriptorResponse().getFileDescriptorProto(0));
              }
            })
        .onNext(
            io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(WatchServiceGrpc.SERVICE_NAME)
                .build());
    assertServiceIsDescribed();
  }

  private abstract static class Answers<T> implements StreamObserver<T> {
    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
