package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Execution of a {@code grpcurl} command without grpcurl. */
final class GrpcurlCommand {
  private static final Pattern CALL =
      Pattern.compile("grpcurl -plaintext (?:-d '([^']*)' +)?([^ ]+) ([a-z0-9.]+)\\.(\\w+)/(\\w+)");

  private GrpcurlCommand() {}

  /** Checks that the service accepts the request and answers it. */
  static Check answered() {
    return (block, world) -> {
      for (String command : block.commands()) {
        answer(world.checkout().addresses().in(command));
      }
    };
  }

  private static void answer(String command) throws Exception {
    Matcher call = CALL.matcher(command);
    assertThat(command).matches(CALL);
    assertThat(call.matches()).isTrue();
    ServiceDescriptor service =
        ListAndWatchRequest.getDescriptor().getFile().findServiceByName(call.group(4));
    assertThat(service.getFile().getPackage()).isEqualTo(call.group(3));
    MethodDescriptor method = service.findMethodByName(call.group(5));
    DynamicMessage.Builder request = DynamicMessage.newBuilder(method.getInputType());
    if (call.group(1) != null) {
      JsonFormat.parser().merge(call.group(1), request);
    }
    ManagedChannel channel = NettyChannelBuilder.forTarget(call.group(2)).usePlaintext().build();
    try {
      var answers =
          ClientCalls.blockingServerStreamingCall(
              channel,
              io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                  .setType(
                      method.isServerStreaming()
                          ? io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING
                          : io.grpc.MethodDescriptor.MethodType.UNARY)
                  .setFullMethodName(service.getFullName() + "/" + method.getName())
                  .setRequestMarshaller(
                      ProtoUtils.marshaller(
                          DynamicMessage.getDefaultInstance(method.getInputType())))
                  .setResponseMarshaller(
                      ProtoUtils.marshaller(
                          DynamicMessage.getDefaultInstance(method.getOutputType())))
                  .build(),
              CallOptions.DEFAULT.withDeadlineAfter(Duration.ofSeconds(30)),
              request.build());
      assertThat(answers.next().getAllFields()).isNotEmpty();
    } finally {
      channel.shutdownNow();
    }
  }
}
