package io.watchgate.check.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.SelectionSpec;
import io.watchgate.check.Session.Policy;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.WatchEvent;
import org.junit.jupiter.api.Test;

final class PatchBaseTest {
  private static final RecordedKey KEY = new RecordedKey("ns", "a");

  private final PatchBase bodies =
      new PatchBase(
          new SubscriptionSpec(
              WatchedType.CONFIGMAPS,
              SelectionSpec.EVERYTHING,
              ProjectionSpec.FULL,
              SubscriptionSpec.Changes.PATCHES,
              Policy.RESYNC));

  private static String object(int version, String data) {
    return "{\"metadata\":{\"resourceVersion\":\"%d\"},\"data\":\"%s\"}".formatted(version, data);
  }

  private static Body content(int version, String data) {
    return new Body.Content(
        CheckedVersion.of(Integer.toString(version)),
        JsonDigest.of(JsonParser.parseString(object(version, data)).getAsJsonObject()));
  }

  private Body apply(RecordedKind kind, int version, String data) {
    WatchEvent event =
        WatchEvent.newBuilder().setObject(ByteString.copyFromUtf8(object(version, data))).build();
    return bodies.apply(KEY, kind, event);
  }

  private Body patch(int from, int to, String data) {
    String operations =
        """
        [{"op":"replace","path":"/data","value":"%s"},
         {"op":"replace","path":"/metadata/resourceVersion","value":"%d"}]
        """
            .formatted(data, to);
    WatchEvent event =
        WatchEvent.newBuilder()
            .setPatch(
                ObjectPatch.newBuilder()
                    .setBaseResourceVersion(Integer.toString(from))
                    .setJsonPatch(ByteString.copyFromUtf8(operations)))
            .build();
    return bodies.apply(KEY, RecordedKind.MODIFIED, event);
  }

  @Test
  void patchesFollowEachOther() {
    apply(RecordedKind.ADDED, 1, "x");
    assertThat(patch(1, 2, "y")).isEqualTo(content(2, "y"));
    assertThat(patch(2, 3, "z")).isEqualTo(content(3, "z"));
  }

  @Test
  void patch_forOtherVersionOrNoObject_isBroken() {
    assertThat(patch(1, 2, "y")).isInstanceOf(Body.Broken.class);
    apply(RecordedKind.ADDED, 1, "x");
    assertThat(patch(2, 3, "y"))
        .isEqualTo(new Body.Broken("a patch for version 2 while 1 is held"));
    apply(RecordedKind.DELETED, 4, "x");
    assertThat(patch(4, 5, "y"))
        .isEqualTo(new Body.Broken("a patch for an object that is not held"));
  }

  @Test
  void rollBack_discardsEventsSinceTheToken() {
    apply(RecordedKind.ADDED, 1, "x");
    bodies.commit();
    patch(1, 2, "y");
    bodies.rollBack();
    assertThat(patch(1, 2, "y")).isEqualTo(content(2, "y"));
  }

  @Test
  void snapshot_replacesEverythingOnceComplete() {
    apply(RecordedKind.ADDED, 1, "x");
    bodies.commit();
    bodies.startSnapshot();
    assertThat(patch(1, 2, "y")).isInstanceOf(Body.Broken.class);
    bodies.rollBack();
    assertThat(patch(1, 2, "y")).as("it was cut").isEqualTo(content(2, "y"));
    bodies.rollBack();
    bodies.startSnapshot();
    bodies.commit();
    assertThat(patch(1, 2, "y")).as("it was empty").isInstanceOf(Body.Broken.class);
  }

  @Test
  void patch_afterOmittedBody_isBroken() {
    apply(RecordedKind.ADDED, 1, "x");
    WatchEvent omitted =
        WatchEvent.newBuilder().setOmitted(BodyOmitted.getDefaultInstance()).build();
    assertThat(bodies.apply(KEY, RecordedKind.MODIFIED, omitted)).isEqualTo(Body.Absent.OMITTED);
    assertThat(patch(2, 3, "y")).isInstanceOf(Body.Broken.class);
  }

  @Test
  void invalidJson_isBroken() {
    WatchEvent event =
        WatchEvent.newBuilder().setObject(ByteString.copyFromUtf8("{\"metadata\":")).build();
    assertThat(bodies.apply(KEY, RecordedKind.ADDED, event)).isInstanceOf(Body.Broken.class);
  }
}
