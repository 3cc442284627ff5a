package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.watchgate.encode.ByteSlices;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WatchMethodsTest {
  private static List<String> described(Collection<MethodDescriptor<?, ?>> methods) {
    return methods.stream()
        .map(
            method ->
                method.getFullMethodName()
                    + " "
                    + method.getType()
                    + " "
                    + method.getSchemaDescriptor())
        .toList();
  }

  @Test
  void methods_equalTheGeneratedOnesExceptMarshallers() {
    ServiceDescriptor generated = WatchServiceGrpc.getServiceDescriptor();

    assertThat(WatchMethods.SERVICE.getName()).isEqualTo(generated.getName());
    assertThat(WatchMethods.SERVICE.getSchemaDescriptor())
        .isSameAs(generated.getSchemaDescriptor());
    assertThat(described(WatchMethods.SERVICE.getMethods()))
        .containsExactlyInAnyOrderElementsOf(described(generated.getMethods()));
  }

  /** Messages that are read without being drained. */
  @Test
  void generatedClient_inProcess_readsSlices() throws IOException {
    ListAndWatchResponse response =
        ListAndWatchResponse.newBuilder()
            .addEvents(WatchEvent.newBuilder().setObject(ByteString.copyFromUtf8("{\"a\":1}")))
            .setResourceVersion("9")
            .build();
    byte[] bytes = response.toByteArray();
    ByteSlices slices =
        new ByteSlices.Builder().add(bytes, 0, 5).add(bytes, 5, bytes.length).build();
    ServerServiceDefinition service =
        ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
            .addMethod(WatchMethods.LIST_AND_WATCH, (call, headers) -> answering(call, slices))
            .build();
    Server server = InProcessServerBuilder.forName("slices").addService(service).build().start();
    ManagedChannel channel = InProcessChannelBuilder.forName("slices").build();
    try {
      assertThat(
              WatchServiceGrpc.newBlockingStub(channel)
                  .listAndWatch(ListAndWatchRequest.getDefaultInstance()))
          .toIterable()
          .containsExactly(response, response);
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  private static ServerCall.Listener<RequestParseResult<ListAndWatchRequest>> answering(
      ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call, ByteSlices slices) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onHalfClose() {
        call.sendHeaders(new Metadata());
        call.sendMessage(slices);
        call.sendMessage(slices);
        call.close(Status.OK, new Metadata());
      }
    };
  }
}
