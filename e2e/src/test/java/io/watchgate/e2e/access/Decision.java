package io.watchgate.e2e.access;

import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import io.watchgate.e2e.faults.ReceivedError;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceBlockingStub;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Decision of a gateway about a request: OPENED, or its refusal as in {@link
 * ReceivedError#summary}.
 */
final class Decision {
  static final String OPENED = "OPENED";
  static final String DENIED = "PERMISSION_DENIED ACCESS_DENIED STOP";
  static final String INVALID = "UNAUTHENTICATED CREDENTIALS_INVALID STOP";
  static final String EXPIRED = "UNAUTHENTICATED CREDENTIALS_EXPIRED RESUME";
  static final String UNREACHABLE = "UNAVAILABLE UPSTREAM_UNAVAILABLE RESUME";

  private static final Duration LIMIT = Duration.ofMinutes(3);

  private Decision() {}

  /** Returns the decision about a stream, which is cancelled once it is admitted. */
  static String watch(Channel channel, ListAndWatchRequest request) {
    Context.CancellableContext call = Context.current().withCancellation();
    Context before = call.attach();
    try {
      return answer(() -> stub(channel).listAndWatch(request).next().getSignalCase().name());
    } finally {
      call.detach(before);
      call.cancel(null);
    }
  }

  /** Returns the decision about a list; OPENED means that the first page arrived. */
  static String list(Channel channel, ListObjectsRequest request) {
    return answer(
        () -> {
          stub(channel).listObjects(request);
          return OPENED;
        });
  }

  /** Returns the decision about listing the served types. */
  static String types(Channel channel) {
    return answer(
        () -> {
          stub(channel).listResourceTypes(ListResourceTypesRequest.getDefaultInstance());
          return OPENED;
        });
  }

  private static String answer(Supplier<String> call) {
    try {
      return call.get();
    } catch (StatusRuntimeException e) {
      return ReceivedError.of(e).summary();
    }
  }

  private static WatchServiceBlockingStub stub(Channel channel) {
    return WatchServiceGrpc.newBlockingStub(channel).withDeadlineAfter(LIMIT);
  }
}
