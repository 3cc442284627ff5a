package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.UnknownFieldSet;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.StreamOptions;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the values of requests: refusals, clamping and defaults. */
final class RequestValuesTest {
  private static final UnknownFieldSet UNKNOWN =
      UnknownFieldSet.newBuilder()
          .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
          .build();

  private static final Projection PATCHED =
      Projection.newBuilder().setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH).build();

  private static ListAndWatchRequest.Builder request() {
    return ListAndWatchRequest.newBuilder();
  }

  private static ListAndWatchRequest.Builder including(String... pointers) {
    return request()
        .setProjection(Projection.newBuilder().addAllIncludePointers(List.of(pointers)));
  }

  private static Duration seconds(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  private static void check(ListAndWatchRequest request) throws ApiException {
    UnknownFieldCheck.check(request);
    RequestLimits.checkClientName(request.getClientName());
    var _ = RequestLimits.minimumVersion(request.getMinimumResourceVersion());
    var _ = DeliveryParser.parse(request.getDelivery(), null);
    ProjectionParser.checkStart(ProjectionParser.parse(request.getProjection()), request);
  }

  static Stream<Arguments> refused() {
    Selection.Builder selection = Selection.newBuilder();
    Projection.Builder projection = Projection.newBuilder();
    Delivery.Builder delivery = Delivery.newBuilder();
    return Stream.of(
        arguments("UNSUPPORTED_FIELD", "#99", request().setUnknownFields(UNKNOWN)),
        arguments(
            "UNSUPPORTED_FIELD",
            "selection.#99",
            request().setSelection(selection.clone().setUnknownFields(UNKNOWN))),
        arguments(
            "UNSUPPORTED_FIELD",
            "selection.resource_type.#99",
            request()
                .setSelection(
                    selection
                        .clone()
                        .setResourceType(ResourceType.newBuilder().setUnknownFields(UNKNOWN)))),
        arguments(
            "UNSUPPORTED_VALUE",
            "projection.view",
            request().setProjection(projection.clone().setViewValue(77))),
        arguments(
            "UNSUPPORTED_VALUE",
            "delivery.lag_policy",
            request().setDelivery(delivery.clone().setLagPolicyValue(-1))),
        arguments(
            "UNSUPPORTED_VALUE",
            "delivery.expired_position_policy",
            request().setDelivery(delivery.clone().setExpiredPositionPolicyValue(9))),
        arguments(
            "UNSUPPORTED_VALUE",
            "projection.change_encoding",
            request().setProjection(projection.clone().setChangeEncodingValue(3))),
        arguments(
            "VALUE_INVALID",
            "projection.change_encoding",
            request().setProjection(PATCHED).setFromNow(FromNow.getDefaultInstance())),
        arguments(
            "VALUE_INVALID",
            "projection.change_encoding",
            request().setProjection(PATCHED).setResourceVersion("7")),
        arguments(
            "VALUE_INVALID",
            "projection.include_pointers",
            request()
                .setProjection(
                    projection
                        .clone()
                        .setView(ObjectView.OBJECT_VIEW_FULL)
                        .addIncludePointers("/spec"))),
        arguments("VALUE_INVALID", "projection.include_pointers[0]", including("")),
        arguments("VALUE_INVALID", "projection.include_pointers[1]", including("/spec", "spec")),
        arguments("VALUE_INVALID", "projection.include_pointers[0]", including("/a~")),
        arguments("VALUE_INVALID", "projection.include_pointers[0]", including("/a~2")),
        arguments("VALUE_INVALID", "projection.include_pointers[0]", including("/a/~/b")),
        arguments("VALUE_INVALID", "projection.include_pointers[0]", including("#/spec")),
        arguments(
            "TOO_COMPLEX",
            "projection.include_pointers",
            including(IntStream.range(0, 33).mapToObj(i -> "/p" + i).toArray(String[]::new))),
        arguments(
            "TOO_COMPLEX",
            "projection.include_pointers",
            including("/" + "é".repeat(256), "/" + "é".repeat(255) + "x")),
        arguments(
            "VALUE_INVALID",
            "delivery.bookmark_interval",
            request().setDelivery(delivery.clone().setBookmarkInterval(seconds(1, -1)))),
        arguments(
            "VALUE_INVALID",
            "delivery.max_batch_delay",
            request().setDelivery(delivery.clone().setMaxBatchDelay(seconds(0, 1_000_000_000)))),
        arguments(
            "VALUE_INVALID",
            "delivery.max_staleness",
            request().setDelivery(delivery.clone().setMaxStaleness(seconds(-1, 1)))),
        arguments("VALUE_INVALID", "client_name", request().setClientName("x".repeat(129))),
        arguments("VALUE_INVALID", "client_name", request().setClientName("é".repeat(65))));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void unknownValues_areRefused(String reason, String field, ListAndWatchRequest.Builder request) {
    ApiError refusal =
        catchThrowableOfType(ApiException.class, () -> check(request.build())).error();

    assertThat(refusal.reason().name()).isEqualTo("ERROR_REASON_" + reason);
    assertThat(refusal.field()).isEqualTo(field);
    assertThat(refusal.message()).isNotEmpty();
    assertThat(GrpcErrors.action(refusal.reason())).isEqualTo(CallStatus.Action.STOP);
  }

  @Test
  void requestOfThisContract_isAccepted() throws ApiException {
    check(
        request()
            .setClientName("é".repeat(64))
            .setMinimumResourceVersion("9".repeat(40))
            .setProjection(
                Projection.newBuilder()
                    .setView(ObjectView.OBJECT_VIEW_FULL)
                    .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_FULL))
            .setDelivery(
                Delivery.newBuilder()
                    .setLagPolicy(LagPolicy.LAG_POLICY_RESYNC)
                    .setExpiredPositionPolicy(
                        ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT))
            .build());
    check(request().build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "01", "-1", "+1", "1.0", "abc", "1 ", "٣", "0x10"})
  void invalidVersion_isRefused(String text) {
    assertThatThrownBy(() -> RequestLimits.version("resource_version", text))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().field()).isEqualTo("resource_version");
              assertThat(e.error().message()).contains("40");
            });
  }

  @Test
  void versionAboveFortyDigits_isRefused() {
    assertThatThrownBy(() -> RequestLimits.version("resource_version", "1".repeat(41)))
        .isInstanceOf(ApiException.class);
  }

  @Test
  void emptyMinimumVersion_isNull() throws ApiException {
    assertThat(RequestLimits.minimumVersion("")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 4194304",
    "1, 4096",
    "4096, 4096",
    "5000, 5000",
    "67108864, 67108864",
    "67108865, 67108864",
    "2147483647, 67108864",
    "-1, 67108864" // uint32 above 2 GiB
  })
  void responseSize_isClamped(int asked, int applied) {
    assertThat(RequestLimits.responseBytes(asked)).isEqualTo(applied);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, PT1S",
    "0, 999999999, PT1S",
    "1, 1, PT1.000000001S",
    "300, 0, PT5M",
    "300, 1, PT5M",
    "315576000000, 999999999, PT5M",
    "9223372036854775807, 0, PT5M",
    "-9223372036854775808, 0, PT1S",
    "-5, 0, PT1S"
  })
  void bookmarkInterval_isClamped(long seconds, int nanos, java.time.Duration applied)
      throws ApiException {
    Delivery asked = Delivery.newBuilder().setBookmarkInterval(seconds(seconds, nanos)).build();
    assertThat(DeliveryParser.parse(asked, null).bookmarkInterval()).isEqualTo(applied);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, PT0S",
    "0, 1, PT0.1S",
    "0, 100000000, PT0.1S",
    "0, 100000001, PT0.2S",
    "10, 0, PT10S",
    "11, 0, PT10S",
    "-1, 0, PT0S"
  })
  void batchDelay_isRoundedUp(long seconds, int nanos, java.time.Duration applied)
      throws ApiException {
    Delivery asked = Delivery.newBuilder().setMaxBatchDelay(seconds(seconds, nanos)).build();
    assertThat(DeliveryParser.parse(asked, null).maxBatchDelay()).isEqualTo(applied);
  }

  @Test
  void missingValues_haveDefaultsAndAreEchoed() throws ApiException {
    StreamOptions applied = DeliveryParser.parse(Delivery.getDefaultInstance(), null);

    assertThat(applied)
        .isEqualTo(
            new StreamOptions(
                LagPolicy.LAG_POLICY_RESYNC,
                ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT,
                java.time.Duration.ZERO,
                java.time.Duration.ofSeconds(30),
                4 << 20,
                null,
                null));
    assertThat(DeliveryParser.parse(DeliveryParser.toProto(applied), null)).isEqualTo(applied);
    assertThat(
            ProjectionParser.toProto(ProjectionParser.parse(Projection.getDefaultInstance()))
                .getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_FULL);
  }

  static Stream<Arguments> projections() {
    Projection.Builder none = Projection.newBuilder();
    Projection.Builder full =
        none.clone()
            .setView(ObjectView.OBJECT_VIEW_FULL)
            .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_FULL);
    Projection.Builder key = full.clone().setView(ObjectView.OBJECT_VIEW_KEY);
    Projection.Builder patched =
        full.clone().setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH);
    return Stream.of(
        arguments(none, full),
        arguments(full, full),
        arguments(none.clone().mergeFrom(PATCHED), patched),
        arguments(
            none.clone().setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS),
            full.clone().setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS)),
        arguments(
            patched.clone().setView(ObjectView.OBJECT_VIEW_METADATA),
            patched.clone().setView(ObjectView.OBJECT_VIEW_METADATA)),
        arguments(none.clone().setView(ObjectView.OBJECT_VIEW_KEY), key),
        arguments(patched.clone().setView(ObjectView.OBJECT_VIEW_KEY), key), // nothing to patch
        arguments(
            none.clone()
                .addIncludePointers("/spec/nodeName")
                .addIncludePointers("/metadata/annotations/a~1b~01")
                .addIncludePointers("/metadata/annotations")
                .addIncludePointers("/spec/nodeName"),
            full.clone()
                .clearView()
                .addIncludePointers("/metadata/annotations")
                .addIncludePointers("/spec/nodeName")));
  }

  @ParameterizedTest
  @MethodSource("projections")
  void projection_isEchoedAsApplied(Projection.Builder asked, Projection.Builder applied)
      throws ApiException {
    Projection answered = ProjectionParser.toProto(ProjectionParser.parse(asked.build()));

    assertThat(answered).isEqualTo(applied.build());
    assertThat(ProjectionParser.parse(answered)).isEqualTo(ProjectionParser.parse(asked.build()));
  }

  @Test
  void patch_needsASnapshotOrToken_keyDoesNot() throws ApiException {
    check(request().setProjection(PATCHED).build());
    check(
        request().setProjection(PATCHED).setResumeToken(ByteString.copyFromUtf8("token")).build());
    check(
        request()
            .setProjection(PATCHED.toBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
            .setResourceVersion("7")
            .build());
  }
}
