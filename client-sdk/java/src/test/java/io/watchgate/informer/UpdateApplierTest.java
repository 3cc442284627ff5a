package io.watchgate.informer;

import static io.watchgate.informer.ResponseBuilder.added;
import static io.watchgate.informer.ResponseBuilder.deleted;
import static io.watchgate.informer.ResponseBuilder.modified;
import static io.watchgate.informer.ResponseBuilder.patched;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchUpdate.SnapshotBegun;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of state transitions: an update is applied completely or not at all. */
final class UpdateApplierTest {
  private final UpdateApplier<ByteString> applier =
      new UpdateApplier<>(
          Snapshot.empty(List.of()),
          new EventDecoder<>(Decoder.raw(), true, List.of(), problem -> {}));

  private UpdateApplier.Step<ByteString> snapshot(
      SnapshotReason reason, String history, String version, WatchEvent... objects)
      throws Exception {
    applier.begin(new SnapshotBegun(reason, 0, history));
    applier.collect(List.of(objects));
    return applier.complete(version, objects.length);
  }

  private UpdateApplier.Step<ByteString> snapshot(String version, WatchEvent... objects)
      throws Exception {
    return snapshot(SnapshotReason.SNAPSHOT_REASON_REQUESTED, "h", version, objects);
  }

  @Test
  void groupThatDoesNotApply_changesNothing() throws Exception {
    snapshot("10", added("a", "ua", "9", "{}"));
    Snapshot<ByteString> before = applier.held();
    assertThatThrownBy(
            () ->
                applier.apply(
                    List.of(added("b", "ub", "11", "{}"), patched("a", "ua", "12", "7", "[]")),
                    "12"))
        .isInstanceOf(JsonPatch.UnfitException.class);
    assertThat(applier.held()).isSameAs(before);
    assertThatThrownBy(
            () ->
                applier.apply(
                    List.of(deleted("a", "ua", "11"), added("b", "ub", "twelve", "{}")), "12"))
        .isInstanceOf(UpdateApplier.BreachException.class);
    assertThat(applier.held()).isSameAs(before);

    applier.expectSnapshot();
    UpdateApplier.Step<ByteString> step =
        snapshot("12", added("a", "ua", "12", "{}"), added("b", "ub", "11", "{}"));
    assertThat(step.changes())
        .extracting(change -> change.key().toString())
        .containsExactlyInAnyOrder("a", "b");
  }

  /** The schema of the type changed, and the apiserver serves an object differently. */
  @Test
  void otherContentOfSameVersion_isApplied() throws Exception {
    snapshot("10", added("a", "ua", "9", "old"), added("b", "ub", "9", "same"));
    UpdateApplier.Step<ByteString> changed =
        applier.apply(
            List.of(modified("a", "ua", "9", "new"), modified("b", "ub", "9", "same")), "12");

    assertThat(CheckingHandler.state(changed.held()))
        .isEqualTo(Map.of("a", "ua 9 new", "b", "ub 9 same"));
    assertThat(changed.changes()).hasSize(1);
    assertThat(applier.staleChanges()).isEqualTo(1);

    applier.expectSnapshot();
    UpdateApplier.Step<ByteString> replaced =
        snapshot("13", added("a", "ua", "9", "newer"), added("b", "ub", "9", "same"));

    assertThat(CheckingHandler.state(replaced.held()))
        .isEqualTo(Map.of("a", "ua 9 newer", "b", "ub 9 same"));
    assertThat(replaced.changes()).hasSize(1);
  }

  /** The result of a patch has the members in another order, and other escapes. */
  @Test
  void patchedObject_inSnapshotWithOtherBytes_isUnchanged() throws Exception {
    snapshot("10", added("a", "ua", "9", "{\"m\":1,\"z\":1}"));
    applier.apply(
        List.of(
            patched("a", "ua", "11", "9", "[{\"op\":\"add\",\"path\":\"/n\",\"value\":\"<\"}]")),
        "11");
    StoredObject<ByteString> held = applier.held().get("", "a").orElseThrow();

    applier.expectSnapshot();
    UpdateApplier.Step<ByteString> again =
        snapshot("12", added("a", "ua", "11", "{\"m\":1,\"n\":\"\\u003c\",\"z\":1}"));

    assertThat(again.changes()).isEmpty();
    assertThat(again.held().get("", "a")).containsSame(held);
  }

  @Test
  void interruptedSnapshotOfOtherHistory_nextOneIsOfOtherHistory() throws Exception {
    snapshot("1000", added("a", "ua", "1000", "new"));
    applier.begin(new SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, 0, "restored"));
    applier.expectSnapshot(); // the stream failed, and the next stream begins without a token

    UpdateApplier.Step<ByteString> step =
        snapshot(
            SnapshotReason.SNAPSHOT_REASON_REQUESTED,
            "restored",
            "60",
            added("a", "ua", "50", "old"));
    assertThat(CheckingHandler.state(step.held())).isEqualTo(Map.of("a", "ua 50 old"));
    assertThat(step.changes()).hasSize(1);
  }

  /**
   * The gateway ended the stream because the history was lost; the history id depends only on
   * cluster and type.
   */
  @ParameterizedTest
  @ValueSource(strings = {"600", "2000"})
  void afterLostHistory_anyVersionIsAccepted(String version) throws Exception {
    snapshot("950", added("a", "ua", "900", "new"), added("b", "ub", "901", "new"));
    applier.expectOtherHistory();
    applier.expectSnapshot();

    UpdateApplier.Step<ByteString> step = snapshot(version, added("a", "ua", "500", "old"));

    assertThat(CheckingHandler.state(step.held())).isEqualTo(Map.of("a", "ua 500 old"));
    assertThat(step.changes()).hasSize(2);
    assertThatThrownBy(() -> snapshot("50", added("a", "ua", "40", "older")))
        .as("and that is the history from then on")
        .isInstanceOf(UpdateApplier.BreachException.class);
  }

  @Test
  void afterLostHistory_undecodableObjectIsRemoved() throws Exception {
    snapshot("950", added("a", "ua", "900", "new"));
    WatchEvent unread =
        added("a", "ua", "500", "").toBuilder()
            .clearObject()
            .setOmitted(BodyOmitted.newBuilder().setSize(9_000_000))
            .build();
    UpdateApplier.Step<ByteString> lost =
        snapshot(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, "h", "550", unread);
    assertThat(lost.held().size()).isZero();
    assertThat(lost.changes()).hasSize(1);

    applier.apply(List.of(modified("a", "ua", "600", "small")), "600");
    assertThat(CheckingHandler.state(applier.held())).isEqualTo(Map.of("a", "ua 600 small"));
    applier.apply(List.of(deleted("a", "ua", "700")), "700");
    assertThat(applier.held().size()).isZero();
  }

  @Test
  void outdatedSnapshot_acceptedOnlyAfterRepetition() throws Exception {
    snapshot("100", added("a", "ua", "90", "1"), added("b", "ub", "100", "1"));
    Snapshot<ByteString> before = applier.held();
    for (int i = 0; i < UpdateApplier.MAX_OUTDATED_SNAPSHOTS; i++) {
      assertThatThrownBy(() -> snapshot("95", added("a", "ua", "90", "1")))
          .isInstanceOf(UpdateApplier.BreachException.class)
          .hasMessage("a snapshot is of version 95, older than 100");
      assertThat(applier.held()).isSameAs(before);
    }

    UpdateApplier.Step<ByteString> step = snapshot("95", added("a", "ua", "80", "0"));
    assertThat(CheckingHandler.state(step.held())).isEqualTo(Map.of("a", "ua 80 0"));
  }

  @Test
  void position_neverDecreasesAndStartsWithSnapshot() throws Exception {
    assertThatThrownBy(() -> applier.advance("5"))
        .hasMessageContaining("before the required snapshot");
    assertThatThrownBy(() -> applier.apply(List.of(added("a", "ua", "5", "1")), "5"))
        .isInstanceOf(UpdateApplier.BreachException.class);
    assertThat(applier.held().size()).isZero();
    snapshot("9");
    applier.advance("10");
    assertThatThrownBy(() -> applier.advance("9"))
        .isInstanceOf(UpdateApplier.BreachException.class);
    applier.apply(List.of(added("a", "ua", "10", "1"), modified("a", "ua", "11", "2")), "11");
    applier.expectSnapshot();
    assertThatThrownBy(() -> applier.advance("12"))
        .isInstanceOf(UpdateApplier.BreachException.class);
    assertThat(applier.held().resourceVersion()).isEqualTo("11");
  }

  @Test
  void incompleteSnapshot_isRefused() throws Exception {
    applier.begin(new SnapshotBegun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, 0, "h"));
    applier.collect(List.of(added("a", "ua", "5", "1")));
    assertThatThrownBy(() -> applier.complete("5", 2))
        .hasMessage("the gateway announced 2 objects in a snapshot but sent 1");
    assertThatThrownBy(() -> applier.complete("5", 0))
        .hasMessageContaining("without SNAPSHOT_STARTED");
    assertThat(applier.held().size()).isZero();
  }
}
