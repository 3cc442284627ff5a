package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.UnknownFieldSet;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.Selection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Request that any gateway refuses in any state, and the answer.
 *
 * @param summary status, reason, action
 * @param field field that the error names; empty: none
 * @param message part of the error message
 */
record RefusedRequest(
    String name, ListAndWatchRequest request, String summary, String field, String message) {
  private static final UnknownFieldSet OF_A_LATER_VERSION =
      UnknownFieldSet.newBuilder()
          .addField(7, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
          .build();

  @Override
  public String toString() {
    return name;
  }

  static Stream<RefusedRequest> all() {
    return Stream.of(types(), selectors(), values(), notKnown()).flatMap(List::stream);
  }

  /** Returns the requests that also apply to a list. */
  static Stream<RefusedRequest> selections() {
    return all().filter(RefusedRequest::isOnlySelection);
  }

  private boolean isOnlySelection() {
    return request.toBuilder()
        .clearSelection()
        .clearProjection()
        .build()
        .equals(ListAndWatchRequest.getDefaultInstance());
  }

  private static List<RefusedRequest> types() {
    return List.of(
        new RefusedRequest(
            "no type",
            ListAndWatchRequest.getDefaultInstance(),
            "INVALID_ARGUMENT FIELD_REQUIRED STOP",
            "selection.resource_type.resource",
            "resource is required"),
        new RefusedRequest(
            "a type that is not there",
            watch("configmap5").build(),
            "NOT_FOUND TYPE_UNKNOWN STOP",
            "selection.resource_type",
            "knows no resource type \"configmap5\". Near: configmaps"),
        new RefusedRequest(
            "a type that cannot be watched",
            watch("bindings").build(),
            "FAILED_PRECONDITION TYPE_NOT_WATCHABLE STOP",
            "selection.resource_type",
            "the apiserver offers: create"),
        new RefusedRequest(
            "secrets",
            watch("secrets").build(),
            "FAILED_PRECONDITION TYPE_NOT_SERVED STOP",
            "selection.resource_type",
            "--type secrets"));
  }

  private static List<RefusedRequest> selectors() {
    return List.of(
        selected(
            "a label selector with its end missing",
            watch("configmaps").getSelectionBuilder().setLabelSelector("app=web,tier in (a"),
            "INVALID_ARGUMENT SELECTOR_INVALID STOP",
            "selection.label_selector",
            "column 19: "),
        selected(
            "a field selector with a second operator",
            watch("configmaps").getSelectionBuilder().setFieldSelector("metadata.name=a=b"),
            "INVALID_ARGUMENT SELECTOR_INVALID STOP",
            "selection.field_selector",
            "column 16: "),
        selected(
            "a field that cannot be selected by",
            watch("configmaps").getSelectionBuilder().setFieldSelector("spec.nodeName=x"),
            "INVALID_ARGUMENT FIELD_NOT_SELECTABLE STOP",
            "selection.field_selector",
            "column 1: "),
        selected(
            "an empty namespace",
            watch("configmaps", "default", "").getSelectionBuilder(),
            "INVALID_ARGUMENT NAMESPACE_EMPTY STOP",
            "selection.namespaces[1]",
            "empty"),
        selected(
            "a namespace that cannot be",
            watch("configmaps", "Not_A_Name").getSelectionBuilder(),
            "INVALID_ARGUMENT VALUE_INVALID STOP",
            "selection.namespaces[0]",
            "Not_A_Name"),
        selected(
            "a namespace of a type that has none",
            watch("nodes", "default").getSelectionBuilder(),
            "INVALID_ARGUMENT VALUE_INVALID STOP",
            "selection.namespaces[0]",
            "nodes"),
        selected(
            "a selector of 4 KiB and a byte",
            watch("configmaps").getSelectionBuilder().setLabelSelector("a".repeat(4097)),
            "INVALID_ARGUMENT TOO_COMPLEX STOP",
            "selection.label_selector",
            "4096"),
        selected(
            "65 namespaces",
            watch("configmaps")
                .getSelectionBuilder()
                .addAllNamespaces(Collections.nCopies(65, "default")),
            "INVALID_ARGUMENT TOO_COMPLEX STOP",
            "selection.namespaces",
            "64"));
  }

  private static List<RefusedRequest> values() {
    return List.of(
        invalid("version 0", watch("pods").setResourceVersion("0"), "resource_version"),
        invalid("no version", watch("pods").setResourceVersion(""), "resource_version"),
        invalid("a word as version", watch("pods").setResourceVersion("new"), "resource_version"),
        invalid(
            "a least version with a leading zero",
            watch("pods").setMinimumResourceVersion("07"),
            "minimum_resource_version"),
        invalid(
            "a client's name of 129 bytes",
            watch("pods").setClientName("é".repeat(64) + "x"),
            "client_name"),
        invalid(
            "a duration that is none",
            watch("pods")
                .setDelivery(
                    Delivery.newBuilder()
                        .setBookmarkInterval(Duration.newBuilder().setNanos(1_000_000_000))),
            "delivery.bookmark_interval"),
        invalid(
            "a pointer without its slash",
            watch("pods")
                .setProjection(
                    Projection.newBuilder().addIncludePointers("/spec").addIncludePointers("a")),
            "projection.include_pointers[1]"),
        invalid(
            "pointers beside a view",
            watch("pods")
                .setProjection(
                    Projection.newBuilder()
                        .setView(ObjectView.OBJECT_VIEW_METADATA)
                        .addIncludePointers("/spec")),
            "projection.include_pointers"),
        invalid(
            "patches to objects that were not sent",
            watch("pods")
                .setProjection(
                    Projection.newBuilder().setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH))
                .setFromNow(FromNow.getDefaultInstance()),
            "projection.change_encoding"),
        new RefusedRequest(
            "a token of other making",
            watch("pods").setResumeToken(ByteString.copyFromUtf8("from-somewhere")).build(),
            "INVALID_ARGUMENT TOKEN_MALFORMED STOP",
            "resume_token",
            "as received"),
        new RefusedRequest(
            "a request of more than 64 KiB",
            watch("pods").addFeatures("x".repeat(64 << 10)).build(),
            "INVALID_ARGUMENT TOO_COMPLEX STOP",
            "",
            "at most 65536"));
  }

  private static List<RefusedRequest> notKnown() {
    return List.of(
        new RefusedRequest(
            "a field of a later version",
            watch("pods").setUnknownFields(OF_A_LATER_VERSION).build(),
            "INVALID_ARGUMENT UNSUPPORTED_FIELD STOP",
            "#7",
            "Use a newer gateway"),
        selected(
            "a field of a later version inside the selection",
            watch("pods").getSelectionBuilder().setUnknownFields(OF_A_LATER_VERSION),
            "INVALID_ARGUMENT UNSUPPORTED_FIELD STOP",
            "selection.#7",
            "Use a newer gateway"),
        unsupported(
            "a view of a later version",
            Projection.newBuilder().setViewValue(77),
            "projection.view",
            "value 77"),
        new RefusedRequest(
            "a lag policy of a later version",
            watch("pods").setDelivery(Delivery.newBuilder().setLagPolicyValue(9)).build(),
            "INVALID_ARGUMENT UNSUPPORTED_VALUE STOP",
            "delivery.lag_policy",
            "value 9"));
  }

  private static RefusedRequest selected(
      String name, Selection.Builder selection, String summary, String field, String message) {
    return new RefusedRequest(
        name,
        ListAndWatchRequest.newBuilder().setSelection(selection).build(),
        summary,
        field,
        message);
  }

  private static RefusedRequest invalid(
      String name, ListAndWatchRequest.Builder request, String field) {
    return new RefusedRequest(
        name, request.build(), "INVALID_ARGUMENT VALUE_INVALID STOP", field, field + " ");
  }

  private static RefusedRequest unsupported(
      String name, Projection.Builder projection, String field, String message) {
    return new RefusedRequest(
        name,
        watch("pods").setProjection(projection).build(),
        "INVALID_ARGUMENT UNSUPPORTED_VALUE STOP",
        field,
        message);
  }
}
