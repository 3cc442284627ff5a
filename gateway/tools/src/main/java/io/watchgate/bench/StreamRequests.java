package io.watchgate.bench;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.grpc.MethodDescriptor;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/** Requests of the readers. Immutable. */
final class StreamRequests {
  private final BenchPlan plan;
  private final String namespace;
  private final String minimumVersion;

  /**
   * @param minimumVersion resourceVersion of the object created last, so that no snapshot is older
   */
  StreamRequests(BenchPlan plan, String namespace, String minimumVersion) {
    this.plan = plan;
    this.namespace = namespace;
    this.minimumVersion = minimumVersion;
  }

  /**
   * Returns ListAndWatch with requests that are already encoded and responses that are not decoded.
   */
  static MethodDescriptor<byte[], RawResponseMarshaller> method(RawResponseMarshaller inbox) {
    return MethodDescriptor.<byte[], RawResponseMarshaller>newBuilder()
        .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
        .setFullMethodName(WatchServiceGrpc.getListAndWatchMethod().getFullMethodName())
        .setRequestMarshaller(new Encoded())
        .setResponseMarshaller(inbox)
        .build();
  }

  private static final class Encoded implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] request) {
      return new ByteArrayInputStream(request);
    }

    @Override
    public byte[] parse(InputStream request) {
      throw new UnsupportedOperationException("requests are only sent here");
    }
  }

  /** Returns the request of the n-th reader. */
  byte[] of(int reader) {
    return request(reader).setMinimumResourceVersion(minimumVersion).build().toByteArray();
  }

  /** Returns the request of the n-th reader to resume from a token. */
  byte[] of(int reader, byte[] token) {
    return request(reader).setResumeToken(ByteString.copyFrom(token)).build().toByteArray();
  }

  private ListAndWatchRequest.Builder request(int reader) {
    return ListAndWatchRequest.newBuilder()
        .setSelection(selection(reader))
        .setProjection(Projection.newBuilder().setView(view()))
        .setDelivery(delivery())
        .setClientName("watchgate bench");
  }

  private Delivery.Builder delivery() {
    Delivery.Builder delivery = Delivery.newBuilder();
    plan.readers()
        .bookmarks()
        .ifPresent(
            interval ->
                delivery.setBookmarkInterval(
                    Duration.newBuilder()
                        .setSeconds(interval.getSeconds())
                        .setNanos(interval.getNano())));
    return delivery;
  }

  private Selection.Builder selection(int reader) {
    return Selection.newBuilder()
        .setResourceType(
            ResourceType.newBuilder().setVersion("v1").setResource(plan.objects().kind().plural()))
        .addNamespaces(namespace)
        .setLabelSelector(labelSelector(reader))
        .setFieldSelector(fieldSelector(reader));
  }

  /**
   * Returns a selector of the run's objects only: a cluster puts config maps of its own into each
   * new namespace.
   */
  String labelSelector(int reader) {
    return plan.readers().selectors() == BenchPlan.Selectors.DIFFERENT
        ? "%s in (%s,reader-%d)".formatted(TestObjects.LABEL, TestObjects.LABEL_VALUE, reader)
        : TestObjects.LABEL + "=" + TestObjects.LABEL_VALUE;
  }

  String fieldSelector(int reader) {
    return plan.selectsNode(reader)
        ? "spec.nodeName=" + TestObjects.node(reader % plan.objects().nodes())
        : "";
  }

  private ObjectView view() {
    return switch (plan.readers().view()) {
      case FULL -> ObjectView.OBJECT_VIEW_FULL;
      case NO_MANAGED_FIELDS -> ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS;
      case METADATA -> ObjectView.OBJECT_VIEW_METADATA;
    };
  }
}
