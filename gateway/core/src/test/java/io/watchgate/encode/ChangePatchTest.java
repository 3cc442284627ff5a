package io.watchgate.encode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.json.PatchedTree;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ChangePatchTest {
  private static final KubeObject BEFORE = view(new LargePod(123_456, LargePod.READY));

  private static KubeObject view(LargePod pod) {
    try {
      return KubeObject.read(pod.json().getBytes(UTF_8), FieldPaths.NONE);
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  private static ByteSlices slices(String text) {
    return ByteSlices.of(text.getBytes(UTF_8));
  }

  private static byte[] patch(ObjectProjection projection, KubeObject now) {
    return ChangePatch.between(projection.body(BEFORE), projection.body(now)).orElseThrow();
  }

  @Test
  void changedConditionOfALargePod_isASmallEvent() throws IOException {
    KubeObject now = view(new LargePod(123_789, LargePod.NOT_READY));
    assertThat(ObjectProjection.NO_MANAGED_FIELDS.body(now).size()).isGreaterThan(7_000);

    byte[] patch = patch(ObjectProjection.NO_MANAGED_FIELDS, now);

    assertThat(event(now, patch).getSerializedSize()).isLessThanOrEqualTo(400);
    assertThat(patch).as("%s", new String(patch, UTF_8)).hasSizeLessThan(270);
  }

  @Test
  void patch_appliesToTheProjectedBody() throws IOException, JsonException {
    KubeObject now = view(new LargePod(123_789, LargePod.EXPLAINED));
    for (ObjectProjection projection :
        List.of(
            ObjectProjection.FULL,
            ObjectProjection.NO_MANAGED_FIELDS,
            ObjectProjection.METADATA,
            SampleProjection.including("/status", "/metadata/annotations"))) {
      byte[] before = projection.body(BEFORE).toByteArray();
      byte[] patch = patch(projection.withPatches(), now);

      assertThat(PatchedTree.of(before, patch))
          .as(projection.name())
          .isEqualTo(PatchedTree.read(projection.body(now).toByteArray()));
      assertThat(new String(patch, UTF_8))
          .contains("/metadata/resourceVersion\",\"value\":\"123789");
    }
  }

  @Test
  void patchNotSmallerThanHalf_isNotUsed() {
    String before = "{\"a\":\"0\",\"b\":\"%s\"}";
    int half = 2 * ("[{'op':'replace','path':'/a','value':'1'}]".length() + 48);
    int around = before.length() - 2;
    for (int more = -3; more <= 3; more++) {
      String rest = "x".repeat(half - around + more);
      Optional<byte[]> patch =
          ChangePatch.between(
              slices(before.formatted(rest)), slices(before.replace('0', '1').formatted(rest)));
      assertThat(patch.isPresent()).as("%d bytes more", more).isEqualTo(more > 0);
    }
  }

  @Test
  void duplicateKeys_haveNoPatch() {
    String large = ",\"b\":\"" + "x".repeat(1_000) + "\"}";
    assertThat(ChangePatch.between(slices("{\"a\":1" + large), slices("{\"a\":2" + large)))
        .isPresent();
    assertThat(ChangePatch.between(slices("{\"a\":1,\"a\":1" + large), slices("{\"a\":2" + large)))
        .isEmpty();
  }

  private static WatchEvent event(KubeObject now, byte[] patch) {
    return WatchEvent.newBuilder()
        .setType(EventType.EVENT_TYPE_MODIFIED)
        .setKey(
            ObjectKey.newBuilder()
                .setNamespace(now.namespace())
                .setName(now.name())
                .setUid(now.uid()))
        .setResourceVersion(now.resourceVersion())
        .setPatch(
            ObjectPatch.newBuilder()
                .setBaseResourceVersion(BEFORE.resourceVersion())
                .setJsonPatch(ByteString.copyFrom(patch)))
        .setReceiveTime(Timestamp.newBuilder().setSeconds(1_800_000_000).setNanos(999_999_999))
        .build();
  }
}
