package io.watchgate.grpc;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.watchgate.encode.ByteSlices;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;

/**
 * Methods of the generated service with custom marshallers. Names and schemas are the same, so that
 * reflection lists them and any client can call them. But requests have a bounded size, and
 * responses of streams are already encoded.
 */
final class WatchMethods {
  static final MethodDescriptor<RequestParseResult<ListAndWatchRequest>, ByteSlices>
      LIST_AND_WATCH =
          WatchServiceGrpc.getListAndWatchMethod().toBuilder(
                  new RequestMarshaller<>(ListAndWatchRequest.parser()), new SlicesMarshaller())
              .build();

  static final MethodDescriptor<RequestParseResult<ListObjectsRequest>, ListObjectsResponse>
      LIST_OBJECTS = bounded(WatchServiceGrpc.getListObjectsMethod(), ListObjectsRequest.parser());

  static final MethodDescriptor<
          RequestParseResult<ListResourceTypesRequest>, ListResourceTypesResponse>
      LIST_RESOURCE_TYPES =
          bounded(WatchServiceGrpc.getListResourceTypesMethod(), ListResourceTypesRequest.parser());

  /**
   * A service definition requires the same descriptors that its methods are bound to, so this
   * descriptor is built here too.
   */
  static final ServiceDescriptor SERVICE =
      ServiceDescriptor.newBuilder(WatchServiceGrpc.SERVICE_NAME)
          .setSchemaDescriptor(WatchServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
          .addMethod(LIST_AND_WATCH)
          .addMethod(LIST_OBJECTS)
          .addMethod(LIST_RESOURCE_TYPES)
          .build();

  private WatchMethods() {}

  private static <Q extends MessageLite, A> MethodDescriptor<RequestParseResult<Q>, A> bounded(
      MethodDescriptor<Q, A> generated, Parser<Q> parser) {
    return generated.toBuilder(new RequestMarshaller<>(parser), generated.getResponseMarshaller())
        .build();
  }
}
