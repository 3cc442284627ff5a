package io.watchgate.check.run;

import com.google.protobuf.Duration;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.SelectionSpec;
import io.watchgate.check.Session.Policy;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;

/**
 * Request of a subscriber, the same for all its streams; its tokens are valid for no other request.
 *
 * @param changes whether MODIFIED events may contain patches
 */
record SubscriptionSpec(
    WatchedType type,
    SelectionSpec query,
    ProjectionSpec projection,
    Changes changes,
    Policy policy) {
  private static final int BOOKMARK_SECONDS = 1;

  /** Silence after which a stream must be left: three bookmark intervals. */
  static final long SILENCE_NANOS = 3_000_000_000L * BOOKMARK_SECONDS;

  /** Encoding of changes. */
  enum Changes {
    WHOLE,
    PATCHES
  }

  @Override
  public String toString() {
    return "%s %s, as %s%s, %s"
        .formatted(
            type.plural(),
            query,
            projection,
            changes == Changes.PATCHES ? " with patches" : "",
            policy);
  }

  /** Returns the request without a start. */
  ListAndWatchRequest.Builder request() {
    return ListAndWatchRequest.newBuilder()
        .setSelection(
            Selection.newBuilder()
                .setResourceType(
                    ResourceType.newBuilder()
                        .setGroup(type.group())
                        .setVersion("v1")
                        .setResource(type.plural()))
                .addAllNamespaces(query.namespaces())
                .setLabelSelector(query.labelSelector())
                .setFieldSelector(query.fieldSelector()))
        .setProjection(projectionMessage())
        .setDelivery(
            Delivery.newBuilder()
                .setLagPolicy(lagPolicy())
                .setBookmarkInterval(Duration.newBuilder().setSeconds(BOOKMARK_SECONDS)))
        .setClientName("watchgate check");
  }

  private Projection projectionMessage() {
    Projection.Builder builder =
        Projection.newBuilder().addAllIncludePointers(projection.pointers());
    if (changes == Changes.PATCHES) {
      builder.setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH);
    }
    switch (projection.view()) {
      case FULL -> builder.setView(ObjectView.OBJECT_VIEW_FULL);
      case NO_MANAGED_FIELDS -> builder.setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS);
      case METADATA -> builder.setView(ObjectView.OBJECT_VIEW_METADATA);
      case KEY -> builder.setView(ObjectView.OBJECT_VIEW_KEY);
      case PARTS -> {}
    }
    return builder.build();
  }

  private LagPolicy lagPolicy() {
    return switch (policy) {
      case RESYNC -> LagPolicy.LAG_POLICY_RESYNC;
      case CONFLATE -> LagPolicy.LAG_POLICY_CONFLATE;
      case DISCONNECT -> LagPolicy.LAG_POLICY_DISCONNECT;
    };
  }
}
