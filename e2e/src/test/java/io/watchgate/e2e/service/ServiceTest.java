package io.watchgate.e2e.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.ServedType;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ServiceTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private Cluster cluster;
  private GatewayUnderTest gateway;
  private ManagedChannel channel;

  @BeforeAll
  void start(Apiserver apiserver) {
    cluster = apiserver.cluster();
    gateway = GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
  }

  @AfterAll
  void stop() {
    channel.shutdownNow();
    gateway.close();
  }

  private WatchServiceGrpc.WatchServiceBlockingStub calls() {
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private String write(String namespace, String name, int value) {
    return cluster
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ConfigMap",
                 "metadata":{"namespace":"%s","name":"%s"},"data":{"value":"%d"}}
                """
                    .formatted(namespace, name, value)))
        .at("/metadata/resourceVersion")
        .textValue();
  }

  private static Selection configMaps(String namespace) {
    return Selection.newBuilder()
        .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
        .addNamespaces(namespace)
        .build();
  }

  private static List<String> names(List<WatchEvent> events) {
    return events.stream().map(event -> event.getKey().getName()).toList();
  }

  private static List<String> untilChanged(Iterator<ListAndWatchResponse> stream) {
    while (stream.hasNext()) {
      ListAndWatchResponse response = stream.next();
      if (response.getEventsCount() > 0) {
        return names(response.getEventsList());
      }
    }
    throw new AssertionError("the stream ended");
  }

  @Test
  void pages_haveOneVersionAndWatchResumesAfter() {
    cluster.createNamespace("paged");
    String newest = "";
    for (int i = 0; i < 7; i++) {
      newest = write("paged", "c" + i, i);
    }
    ListObjectsRequest request =
        ListObjectsRequest.newBuilder()
            .setSelection(configMaps("paged"))
            .setPageSize(3)
            .setMinimumResourceVersion(newest)
            .build();
    List<String> listed = new ArrayList<>();
    ListObjectsResponse page = calls().listObjects(request);
    String version = page.getResourceVersion();
    write("paged", "a-later-one", 0);
    cluster.delete(Resource.CONFIGMAPS, "paged", "c5");
    listed.addAll(names(page.getObjectsList()));
    while (!page.getNextPageToken().isEmpty()) {
      assertThat(page.getResumeToken().isEmpty()).isTrue();
      page = calls().listObjects(request.toBuilder().setPageToken(page.getNextPageToken()).build());
      assertThat(page.getResourceVersion()).isEqualTo(version);
      assertThat(page.getObjectsCount()).isLessThanOrEqualTo(3);
      listed.addAll(names(page.getObjectsList()));
    }
    assertThat(listed).containsExactly("c0", "c1", "c2", "c3", "c4", "c5", "c6");
    assertThat(page.getTotalObjects()).isEqualTo(7);

    Iterator<ListAndWatchResponse> after =
        calls()
            .listAndWatch(
                ListAndWatchRequest.newBuilder()
                    .setSelection(configMaps("paged"))
                    .setResumeToken(page.getResumeToken())
                    .build());
    List<String> changed = new ArrayList<>();
    while (changed.size() < 2) {
      changed.addAll(untilChanged(after));
    }
    assertThat(changed).containsExactly("a-later-one", "c5");
  }

  @Test
  void minimumVersion_readsOwnWrite() {
    cluster.createNamespace("mine");
    for (int i = 0; i < 20; i++) {
      String version = write("mine", "w" + i, i);
      ListObjectsResponse list =
          calls()
              .listObjects(
                  ListObjectsRequest.newBuilder()
                      .setSelection(configMaps("mine"))
                      .setMinimumResourceVersion(version)
                      .build());
      assertThat(names(list.getObjectsList())).contains("w" + i);
    }
  }

  @Test
  void types_areListedWithTheirState() {
    calls().listObjects(ListObjectsRequest.newBuilder().setSelection(configMaps("any")).build());

    ListResourceTypesResponse types =
        calls().listResourceTypes(ListResourceTypesRequest.getDefaultInstance());

    assertThat(types.getServer().getServerId()).isNotEmpty();
    assertThat(types.getServer().getClusterId()).isNotEmpty();
    ServedType held = type(types, "configmaps");
    assertThat(held.getSynced()).isTrue();
    assertThat(held.getResourceVersion()).matches("[0-9]+");
    assertThat(held.getOldestResourceVersion()).matches("[0-9]+");
    assertThat(held.getShortNamesList()).containsExactly("cm");
    assertThat(held.getError()).isEmpty();
    assertThat(type(types, "pods").getSelectableFieldsList()).contains("spec.nodeName");
    assertThat(types.getTypesList())
        .extracting(served -> served.getResourceType().getResource())
        .doesNotContain("secrets");
  }

  private static ServedType type(ListResourceTypesResponse types, String resource) {
    return types.getTypesList().stream()
        .filter(served -> served.getResourceType().getResource().equals(resource))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void health_isServedForServerAndService() {
    for (String service : List.of("", WatchServiceGrpc.SERVICE_NAME)) {
      HealthCheckRequest request = HealthCheckRequest.newBuilder().setService(service).build();
      assertThat(HealthGrpc.newBlockingStub(channel).check(request).getStatus())
          .isEqualTo(ServingStatus.SERVING);
    }
  }

  @Test
  void reflection_describesTheService() throws Exception {
    BlockingQueue<ServerReflectionResponse> answers = new ArrayBlockingQueue<>(4);
    StreamObserver<ServerReflectionRequest> questions =
        ServerReflectionGrpc.newStub(channel).serverReflectionInfo(new Collecting(answers));
    questions.onNext(
        ServerReflectionRequest.newBuilder()
            .setFileContainingSymbol(WatchServiceGrpc.SERVICE_NAME)
            .build());
    await().atMost(LIMIT).until(() -> !answers.isEmpty());
    questions.onCompleted();

    FileDescriptorProto file =
        FileDescriptorProto.parseFrom(
            answers.take().getFileDescriptorResponse().getFileDescriptorProto(0));
    assertThat(file.getService(0).getMethodList())
        .extracting(method -> method.getName())
        .containsExactly("ListAndWatch", "ListObjects", "ListResourceTypes");
  }

  /** Request of grpcurl, evans and other tools that do not support v1 yet. */
  @Test
  void reflectionV1alpha_describesTheService() throws Exception {
    BlockingQueue<io.grpc.reflection.v1alpha.ServerReflectionResponse> answers =
        new ArrayBlockingQueue<>(4);
    StreamObserver<io.grpc.reflection.v1alpha.ServerReflectionRequest> questions =
        io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(io.grpc.reflection.v1alpha.ServerReflectionResponse answer) {
                    answers.add(answer);
                  }

                  @Override
                  public void onError(Throwable failure) {}

                  @Override
                  public void onCompleted() {}
                });
    questions.onNext(
        io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
            .setListServices("")
            .build());
    await().atMost(LIMIT).until(() -> !answers.isEmpty());
    questions.onCompleted();

    assertThat(answers.take().getListServicesResponse().getServiceList())
        .extracting(service -> service.getName())
        .contains(WatchServiceGrpc.SERVICE_NAME);
  }

  private record Collecting(BlockingQueue<ServerReflectionResponse> answers)
      implements StreamObserver<ServerReflectionResponse> {
    @Override
    public void onNext(ServerReflectionResponse answer) {
      answers.add(answer);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
