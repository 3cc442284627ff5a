package io.watchgate.bench.baseline;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.protobuf.ProtoUtils;
import io.watchgate.kube.KubeException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ListAndWatch at the lowest cost that is possible with grpc-java. Runs on the event loops, where
 * only the first stream of a namespace blocks for the apiserver.
 */
final class EncodeOnceService implements ServerCallHandler<ListAndWatchRequest, SharedResponse> {
  private final Topics<Topic> topics;
  private final int batch;
  private final int readyThreshold;

  EncodeOnceService(
      BaselineUpstream upstream, List<EventLoop> loops, int batch, int readyThreshold) {
    this.batch = batch;
    this.readyThreshold = readyThreshold;
    this.topics = new Topics<>(upstream, resources -> new Topic(upstream, resources, loops, batch));
  }

  ServerServiceDefinition definition() {
    MethodDescriptor<ListAndWatchRequest, SharedResponse> method =
        MethodDescriptor.<ListAndWatchRequest, SharedResponse>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName(WatchServiceGrpc.getListAndWatchMethod().getFullMethodName())
            .setRequestMarshaller(ProtoUtils.marshaller(ListAndWatchRequest.getDefaultInstance()))
            .setResponseMarshaller(new SharedResponse.Marshaller())
            .build();
    return ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
        .addMethod(method, this)
        .build();
  }

  @Override
  public ServerCall.Listener<ListAndWatchRequest> startCall(
      ServerCall<ListAndWatchRequest, SharedResponse> call, Metadata headers) {
    call.setOnReadyThreshold(readyThreshold);
    call.request(1);
    return new Listener(call);
  }

  private static final class GrpcStream extends EncodeOnceStream {
    private final ServerCall<ListAndWatchRequest, SharedResponse> call;

    GrpcStream(ServerCall<ListAndWatchRequest, SharedResponse> call, String node, int batch) {
      super(node, batch);
      this.call = call;
    }

    @Override
    boolean isReady() {
      return call.isReady();
    }

    @Override
    void sendHeaders() {
      call.sendHeaders(new Metadata());
    }

    @Override
    void send(SharedResponse response) {
      call.sendMessage(response);
    }

    @Override
    void close(Status status) {
      call.close(status, new Metadata());
    }
  }

  private final class Listener extends ServerCall.Listener<ListAndWatchRequest> {
    private final ServerCall<ListAndWatchRequest, SharedResponse> call;
    private @Nullable EncodeOnceStream stream;
    private @Nullable LoopFanout fanout;

    Listener(ServerCall<ListAndWatchRequest, SharedResponse> call) {
      this.call = call;
    }

    @Override
    public void onMessage(ListAndWatchRequest request) {
      try {
        EncodeOnceStream opened = new GrpcStream(call, Topics.node(request), batch);
        fanout = topics.of(request).join(opened);
        stream = opened;
      } catch (KubeException e) {
        call.close(Status.UNAVAILABLE.withDescription(e.getMessage()), new Metadata());
      }
    }

    @Override
    public void onReady() {
      if (stream != null) {
        stream.send();
      }
    }

    @Override
    public void onCancel() {
      if (fanout != null && stream != null) {
        stream.cancel();
        fanout.remove(stream);
      }
    }
  }
}
