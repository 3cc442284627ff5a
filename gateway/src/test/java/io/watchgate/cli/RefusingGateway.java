package io.watchgate.cli;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ServerInfo;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** Gateway that names its cluster and denies every watch. */
final class RefusingGateway extends WatchServiceGrpc.WatchServiceImplBase implements AutoCloseable {
  private final String clusterId;
  private final AtomicInteger requests = new AtomicInteger();
  private final Server server;

  RefusingGateway(String clusterId) throws IOException {
    this.clusterId = clusterId;
    this.server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(this)
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  /** Returns the number of requested streams. */
  int requests() {
    return requests.get();
  }

  @Override
  public void listResourceTypes(
      ListResourceTypesRequest request, StreamObserver<ListResourceTypesResponse> to) {
    to.onNext(
        ListResourceTypesResponse.newBuilder()
            .setServer(ServerInfo.newBuilder().setClusterId(clusterId))
            .build());
    to.onCompleted();
  }

  @Override
  public void listAndWatch(ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> to) {
    requests.incrementAndGet();
    Metadata trailers = new Metadata();
    trailers.put(key("watchgate-reason"), "ACCESS_DENIED");
    trailers.put(key("watchgate-action"), "STOP");
    to.onError(
        Status.PERMISSION_DENIED
            .withDescription("the user \"joe\" may not list what was selected")
            .asRuntimeException(trailers));
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
