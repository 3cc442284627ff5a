package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
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

  /** It needs no credentials, and its answers wait in memory for clients that do not read. */
  @Test
  void callsAboveLimit_areRefused_untilOneEnds() throws Exception {
    var stub = io.grpc.reflection.v1.ServerReflectionGrpc.newStub(fixture.connect());
    List<StreamObserver<io.grpc.reflection.v1.ServerReflectionRequest>> calls = new ArrayList<>();
    List<FailedAnswers> answers = new ArrayList<>();
    for (int i = 0; i <= RequestLimits.MAX_REFLECTION_CALLS; i++) {
      FailedAnswers each = new FailedAnswers();
      answers.add(each);
      calls.add(stub.serverReflectionInfo(each));
    }
    await().until(() -> answers.stream().anyMatch(each -> each.failure != null));
    assertThat(answers).filteredOn(each -> each.failure != null).hasSize(1);
    assertThat(answers.stream().map(each -> each.failure).filter(Objects::nonNull))
        .first()
        .isEqualTo("RESOURCE_EXHAUSTED");

    calls.forEach(StreamObserver::onCompleted);
    await()
        .untilAsserted(
            () -> {
              FailedAnswers next = new FailedAnswers();
              stub.serverReflectionInfo(next).onCompleted();
              await().until(() -> next.completed || next.failure != null);
              assertThat(next.completed).isTrue();
            });
  }

  @Test
  void largeRequest_isRefused() {
    FailedAnswers answers = new FailedAnswers();
    io.grpc.reflection.v1.ServerReflectionGrpc.newStub(fixture.connect())
        .serverReflectionInfo(answers)
        .onNext(
            io.grpc.reflection.v1.ServerReflectionRequest.newBuilder()
                .setHost("h".repeat(RequestLimits.MAX_OPEN_REQUEST_BYTES))
                .setListServices("")
                .build());
    await().untilAsserted(() -> assertThat(answers.failure).isEqualTo("INVALID_ARGUMENT"));
  }

  @Test
  void largeHealthRequest_isRefused() {
    var stub = HealthGrpc.newBlockingStub(fixture.connect());
    HealthCheckRequest large =
        HealthCheckRequest.newBuilder()
            .setService("s".repeat(RequestLimits.MAX_OPEN_REQUEST_BYTES))
            .build();
    assertThatThrownBy(() -> stub.check(large)).hasMessageStartingWith("INVALID_ARGUMENT");
    assertThatThrownBy(() -> stub.watch(large).next()).hasMessageStartingWith("INVALID_ARGUMENT");
  }

  private static final class FailedAnswers
      implements StreamObserver<io.grpc.reflection.v1.ServerReflectionResponse> {
    private volatile @Nullable String failure;
    private volatile boolean completed;

    @Override
    public void onNext(io.grpc.reflection.v1.ServerReflectionResponse answer) {}

    @Override
    public void onError(Throwable error) {
      failure = Status.fromThrowable(error).getCode().name();
    }

    @Override
    public void onCompleted() {
      completed = true;
    }
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
