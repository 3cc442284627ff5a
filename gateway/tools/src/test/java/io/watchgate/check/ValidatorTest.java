package io.watchgate.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.RecordedSignal.Bookmark;
import io.watchgate.check.RecordedSignal.NetEffectStarted;
import io.watchgate.check.RecordedSignal.Plain;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import io.watchgate.check.RecordedSignal.SnapshotStarted.Reason;
import io.watchgate.check.RecordedSignal.Synced;
import io.watchgate.check.Session.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Histories with deliberate errors, for which the validator must name the broken promise. */
final class ValidatorTest {
  /**
   * Versions 1 to 3 are the base: a and b match, c does not. Then 4 changes a, 5 makes c match, 6
   * makes b no longer match, 7 deletes a, 8 creates a again, 9 and 10 change c.
   */
  private final ChangeHistory story =
      new ChangeHistory()
          .put("a", "web")
          .put("b", "web")
          .put("c", "db")
          .begin()
          .put("a", "web")
          .put("c", "web")
          .put("b", "db")
          .delete("a")
          .put("a", "web")
          .put("c", "web")
          .put("c", "web");

  private StreamMessages stream() {
    return new StreamMessages(story, ChangeHistory.WEB);
  }

  private CheckReport judge(StreamMessages stream) {
    return Validator.judge(story.truth(), List.of(stream.session()));
  }

  private void assertBroken(Promise promise, StreamMessages stream) {
    CheckReport report = judge(stream);
    assertThat(report.of(promise).broken()).as(report.text()).isPositive();
    assertThat(report.text()).contains(promise + " is broken:");
  }

  private void assertHolds(StreamMessages stream) {
    CheckReport report = judge(stream);
    assertThat(report.holds()).as(report.text()).isTrue();
  }

  private static List<RecordedEvent> without(List<RecordedEvent> events, int index) {
    List<RecordedEvent> rest = new ArrayList<>(events);
    rest.remove(index);
    return rest;
  }

  private static RecordedEvent with(RecordedEvent event, Body body) {
    return new RecordedEvent(
        event.kind(), event.key(), event.uid(), event.version(), body, event.removal());
  }

  private static RecordedEvent as(RecordedEvent event, RecordedKind kind) {
    return new RecordedEvent(
        kind, event.key(), event.uid(), event.version(), event.body(), event.removal());
  }

  @Test
  void correctStreams_keepAndCoverAllPromises() {
    StreamMessages resumed = stream().resumed(4).changes(6).bookmark(6).changes(10);
    StreamMessages stream = stream().snapshot(3).changes(5).netEffect(8).changes(10).bookmark(12);
    CheckReport report =
        Validator.judge(story.truth(), List.of(stream.session(), resumed.session()));
    assertThat(report.holds()).as(report.text()).isTrue();
    assertThat(Promise.values())
        .allSatisfy(one -> assertThat(report.of(one).judged()).isPositive());
  }

  @Test
  void netEffect_withConflate_isAllowed() {
    assertHolds(stream().policy(Policy.CONFLATE).snapshot(3).conflated(9).conflated(10));
  }

  @Test
  void stream_cutInsideAGroup_breaksNothing() {
    StreamMessages stream = stream().snapshot(3).changes(5);
    List<RecordedEvent> next = stream.changesTo(8);
    assertHolds(stream.send(List.of(), 0, new SnapshotStarted(Reason.POSITION_EXPIRED, "h-1")));
    assertHolds(
        stream()
            .snapshot(3)
            .changes(5)
            .send(List.of(), 0, new NetEffectStarted("LAG"))
            .send(next.subList(0, 1), 0, Plain.NONE));
  }

  @Test
  void streamFromNow_isJudgedFromItsFirstPosition() {
    assertHolds(
        stream().startAt(new StartSpec.FromNow()).send(List.of(), 5, Plain.RESUMED).changes(10));
    StreamMessages lost =
        stream().startAt(new StartSpec.FromNow()).send(List.of(), 5, Plain.RESUMED);
    assertBroken(Promise.COMPLETE, lost.send(without(lost.changesTo(10), 0), 10, Plain.NONE));
  }

  /** The gateway, or one of its replicas, was behind when the record of the truth began. */
  @Test
  void streamFromBeforeTheRecord_isJudgedFromItsBeginning() {
    ChangeHistory all =
        new ChangeHistory().put("a", "web").put("b", "web").put("a", "web").delete("b");
    Truth record =
        new ChangeHistory()
            .put("a", "web")
            .put("b", "web")
            .put("a", "web")
            .delete("b")
            .begin()
            .put("a", "web")
            .put("c", "web")
            .truth();
    all.put("a", "web").put("c", "web");
    for (StreamMessages stream :
        List.of(
            new StreamMessages(all, ChangeHistory.WEB).snapshot(2).changes(6),
            new StreamMessages(all, ChangeHistory.WEB).snapshot(2).netEffect(6),
            new StreamMessages(all, ChangeHistory.WEB)
                .policy(Policy.CONFLATE)
                .snapshot(2)
                .conflated(6),
            new StreamMessages(all, ChangeHistory.WEB).resumed(2).changes(3).changes(6))) {
      CheckReport report = Validator.judge(record, List.of(stream.session()));
      assertThat(report.holds()).as(report.text()).isTrue();
    }

    StreamMessages early = new StreamMessages(all, ChangeHistory.WEB).snapshot(2).changes(4);
    List<RecordedEvent> wrong = new ArrayList<>(early.changesTo(6));
    wrong.set(0, as(wrong.getFirst(), RecordedKind.ADDED));
    CheckReport report =
        Validator.judge(record, List.of(early.send(wrong, 6, Plain.NONE).session()));
    assertThat(report.of(Promise.FILTERED).broken()).as(report.text()).isPositive();
  }

  @Test
  void streamAtVersion_isJudgedFromThatVersion() {
    StreamMessages stream = stream().startAt(new StartSpec.AtVersion(ChangeHistory.at(5)));
    assertHolds(stream.send(List.of(), 5, Plain.RESUMED).changes(10));
    StreamMessages lost =
        stream()
            .startAt(new StartSpec.AtVersion(ChangeHistory.at(5)))
            .send(List.of(), 6, Plain.RESUMED);
    assertBroken(Promise.COMPLETE, lost.changes(10));
  }

  @Test
  void aDroppedChangeBreaksComplete() {
    StreamMessages stream = stream().snapshot(3);
    List<RecordedEvent> events = stream.changesTo(10);
    for (int i = 0; i < events.size(); i++) {
      assertBroken(Promise.COMPLETE, stream().snapshot(3).send(without(events, i), 10, Plain.NONE));
    }
  }

  @Test
  void incompleteNetEffect_breaksComplete() {
    StreamMessages stream = stream().snapshot(3).send(List.of(), 0, new NetEffectStarted("LAG"));
    List<RecordedEvent> events = stream.difference(8, Removal.OBJECT_DELETED);
    assertBroken(Promise.COMPLETE, stream.send(without(events, events.size() - 1), 8, Plain.NONE));
  }

  @Test
  void aRepeatedChangeBreaksUnique() {
    StreamMessages stream = stream().snapshot(3);
    List<RecordedEvent> events = new ArrayList<>(stream.changesTo(4));
    events.add(events.getFirst());
    assertBroken(Promise.UNIQUE, stream.send(events, 4, Plain.NONE));
  }

  @Test
  void changeBeforeTheToken_afterResume_breaksUnique() {
    List<RecordedEvent> before = stream().snapshot(3).changesTo(4);
    assertBroken(Promise.UNIQUE, stream().resumed(4).send(before, 5, Plain.NONE));
  }

  @Test
  void twoSwappedChangesBreakOrdered() {
    StreamMessages stream = stream().snapshot(3);
    List<RecordedEvent> events = new ArrayList<>(stream.changesTo(5));
    Collections.swap(events, 0, 1);
    assertBroken(Promise.ORDERED, stream.send(events, 5, Plain.NONE));
  }

  @Test
  void aPositionThatGoesBackBreaksOrdered() {
    assertBroken(Promise.ORDERED, stream().snapshot(3).changes(5).bookmark(4));
  }

  @Test
  void anEventAheadOfItsPositionBreaksOrdered() {
    StreamMessages stream = stream().snapshot(3);
    assertBroken(Promise.ORDERED, stream.send(stream.changesTo(5), 4, Plain.NONE));
  }

  @Test
  void anEarlyBookmarkBreaksBookmarkableAndComplete() {
    StreamMessages stream = stream().snapshot(3);
    List<RecordedEvent> events = stream.changesTo(5);
    stream.bookmark(5).send(events, 6, Plain.NONE);
    assertBroken(Promise.BOOKMARKABLE, stream);
    assertBroken(Promise.COMPLETE, stream);
  }

  @Test
  void aLoneDeletedBreaksFiltered() {
    StreamMessages stream = stream().snapshot(3).changes(8);
    RecordedEvent deleted = stream().snapshot(3).changes(5).changesTo(6).getFirst();
    assertThat(deleted.kind()).isEqualTo(RecordedKind.DELETED);
    assertBroken(Promise.FILTERED, stream.send(List.of(deleted), 9, Plain.NONE));
  }

  @Test
  void aWrongTransitionBreaksFiltered() {
    StreamMessages stream = stream().snapshot(3);
    List<RecordedEvent> events = new ArrayList<>(stream.changesTo(5));
    events.set(1, as(events.get(1), RecordedKind.MODIFIED));
    assertBroken(Promise.FILTERED, stream.send(events, 5, Plain.NONE));
  }

  @Test
  void wrongRemovalReason_breaksFiltered() {
    StreamMessages stream = stream().snapshot(3).changes(5);
    RecordedEvent left = stream.changesTo(6).getFirst();
    assertThat(left.removal()).isEqualTo(Removal.NO_LONGER_MATCHES);
    RecordedEvent gone =
        new RecordedEvent(
            left.kind(),
            left.key(),
            left.uid(),
            left.version(),
            left.body(),
            Removal.OBJECT_DELETED);
    assertBroken(Promise.FILTERED, stream.send(List.of(gone), 6, Plain.NONE));
  }

  @Test
  void aChangeThatDoesNotMatchBreaksFiltered() {
    StreamMessages all = new StreamMessages(story, SelectionSpec.EVERYTHING).snapshot(3).changes(5);
    RecordedEvent other = all.changesTo(6).getFirst();
    assertThat(other.kind()).isEqualTo(RecordedKind.MODIFIED);
    assertBroken(
        Promise.FILTERED, stream().snapshot(3).changes(5).send(List.of(other), 6, Plain.NONE));
  }

  @Test
  void bookmark_verifiedAfterNextChange_breaksFresh() {
    Instant nextChange = ChangeHistory.time(5);
    assertHolds(stream().snapshot(3).changes(4).bookmark(4, nextChange));
    assertBroken(
        Promise.FRESH, stream().snapshot(3).changes(4).bookmark(4, nextChange.plusMillis(1)));
  }

  @Test
  void bookmark_unverifiedOrAfterLastChange_isFresh() {
    assertHolds(stream().snapshot(3).changes(10).bookmark(10, ChangeHistory.time(99)));
    assertHolds(stream().snapshot(3).send(List.of(), 3, new Bookmark(Optional.empty())));
  }

  @Test
  void aMergedRecreationBreaksConflation() {
    StreamMessages stream = stream().policy(Policy.CONFLATE).snapshot(3).changes(6);
    List<RecordedEvent> events = stream.changesTo(8);
    assertThat(events)
        .extracting(RecordedEvent::kind)
        .containsExactly(RecordedKind.DELETED, RecordedKind.ADDED);
    RecordedEvent merged = as(events.get(1), RecordedKind.MODIFIED);
    assertBroken(Promise.CONFLATION, stream.send(List.of(merged), 8, Plain.NONE));
    StreamMessages group =
        stream().snapshot(3).changes(6).send(List.of(), 0, new NetEffectStarted("LAG"));
    assertBroken(Promise.CONFLATION, group.send(List.of(merged), 8, Plain.NONE));
  }

  /** The state of the client before the record is unknown, so it may have had the new object. */
  @Test
  void recreationInAStreamFromBeforeTheRecord_isNotJudged() {
    StreamMessages stream = stream().policy(Policy.CONFLATE).resumed(2);
    RecordedEvent first = stream.changesTo(4).getFirst();
    RecordedEvent merged = as(stream.changesTo(8).getLast(), RecordedKind.MODIFIED);
    assertThat(merged.key()).isEqualTo(first.key());
    CheckReport report = judge(stream.send(List.of(first, merged), 8, Plain.NONE));
    assertThat(report.of(Promise.CONFLATION).broken()).as(report.text()).isZero();
  }

  @Test
  void anOldSnapshotAfterANewerOneBreaksOrdered() {
    StreamMessages stream = stream().snapshot(7).snapshot(5, Reason.POSITION_EXPIRED);
    assertBroken(Promise.ORDERED, stream);
  }

  @Test
  void aSnapshotOlderThanTheTokenBreaksNoTimeTravel() {
    StreamMessages stream = stream().startAt(new StartSpec.AtToken(ChangeHistory.at(7)));
    assertBroken(Promise.NO_TIME_TRAVEL, stream.snapshot(5, Reason.POSITION_EXPIRED));
  }

  @Test
  void aSnapshotOlderThanTheMinimumBreaksNoTimeTravel() {
    assertBroken(Promise.NO_TIME_TRAVEL, stream().minimum(6).snapshot(5));
  }

  @Test
  void snapshot_missingExtraOrOldObject_breaksSnapshot() {
    List<RecordedEvent> now = snapshotAt(5);
    List<RecordedEvent> before = snapshotAt(3);
    List<RecordedEvent> aged = new ArrayList<>(now);
    aged.replaceAll(event -> event.key().name().equals("a") ? find(before, event.key()) : event);
    List<RecordedEvent> more = new ArrayList<>(now);
    more.add(new StreamMessages(story, SelectionSpec.EVERYTHING).snapshot(3).changesTo(6).get(2));
    for (List<RecordedEvent> events : List.of(without(now, 0), more, aged)) {
      StreamMessages stream =
          stream().send(List.of(), 0, new SnapshotStarted(Reason.REQUESTED, "h-1"));
      assertBroken(Promise.SNAPSHOT, stream.send(events, 5, new Synced(events.size())));
    }
  }

  private List<RecordedEvent> snapshotAt(long version) {
    StreamMessages stream = stream().snapshot(version);
    return ((RecordedMessage.Response) stream.messages().getLast()).events();
  }

  private static RecordedEvent find(List<RecordedEvent> events, RecordedKey key) {
    return events.stream().filter(event -> event.key().equals(key)).findFirst().orElseThrow();
  }

  @Test
  void aWrongCountBreaksSnapshot() {
    List<RecordedEvent> events = snapshotAt(5);
    StreamMessages stream =
        stream().send(List.of(), 0, new SnapshotStarted(Reason.REQUESTED, "h-1"));
    assertBroken(Promise.SNAPSHOT, stream.send(events, 5, new Synced(events.size() + 1)));
  }

  @Test
  void aSnapshotOfAnotherHistoryBreaksSnapshot() {
    assertBroken(Promise.SNAPSHOT, stream().snapshot(3).snapshot(5, Reason.HISTORY_LOST));
    assertBroken(
        Promise.SNAPSHOT,
        stream().send(List.of(), 0, new SnapshotStarted(Reason.REQUESTED, "another")));
  }

  @Test
  void aTokenInsideASnapshotBreaksFramed() {
    List<RecordedEvent> events = snapshotAt(5);
    StreamMessages stream =
        stream()
            .send(List.of(), 0, new SnapshotStarted(Reason.REQUESTED, "h-1"))
            .send(events.subList(0, 1), 5, Plain.NONE)
            .send(events.subList(1, 3), 5, new Synced(3));
    assertBroken(Promise.FRAMED, stream);
  }

  @Test
  void aTokenInsideANetEffectBreaksBookmarkable() {
    StreamMessages stream = stream().snapshot(3).send(List.of(), 0, new NetEffectStarted("LAG"));
    List<RecordedEvent> events = stream.difference(8, Removal.OBJECT_DELETED);
    stream
        .send(events.subList(0, 1), 8, Plain.NONE)
        .send(events.subList(1, events.size()), 8, Plain.NONE);
    assertBroken(Promise.BOOKMARKABLE, stream);
  }

  @Test
  void aGapThatIsNotAnnouncedBreaksComplete() {
    StreamMessages stream = stream().snapshot(3);
    assertBroken(
        Promise.COMPLETE, stream.send(stream.difference(10, Removal.INFERRED), 10, Plain.NONE));
  }

  @Test
  void otherContentThanUpstream_breaksContent() {
    StreamMessages stream = stream().snapshot(3);
    RecordedEvent event = stream.changesTo(4).getFirst();
    RecordedEvent other = with(event, new Body.Content(event.version(), "something else"));
    assertBroken(Promise.CONTENT, stream.send(List.of(other), 4, Plain.NONE));
  }

  @Test
  void objectVersion_differsFromEvent_breaksContent() {
    StreamMessages stream = stream().snapshot(3);
    RecordedEvent event = stream.changesTo(4).getFirst();
    Body.Content content = (Body.Content) event.body();
    RecordedEvent other = with(event, new Body.Content(ChangeHistory.at(3), content.digest()));
    assertBroken(Promise.CONTENT, stream.send(List.of(other), 4, Plain.NONE));
  }

  @Test
  void wrongPatchBaseOrNoBody_breaksContent() {
    for (Body body : List.of(new Body.Broken("a patch for version 2"), Body.Absent.NO_BODY)) {
      StreamMessages stream = stream().snapshot(3);
      RecordedEvent event = with(stream.changesTo(4).getFirst(), body);
      assertBroken(Promise.CONTENT, stream.send(List.of(event), 4, Plain.NONE));
    }
  }

  @Test
  void token_refusedOrAnsweredWrongly_breaksResumable() {
    StartSpec token = new StartSpec.AtToken(ChangeHistory.at(5));
    assertBroken(
        Promise.RESUMABLE,
        stream().startAt(token).end("INVALID_ARGUMENT", "TOKEN_OTHER_SELECTION", "STOP"));
    assertBroken(Promise.RESUMABLE, stream().startAt(token).snapshot(5));
    assertBroken(Promise.RESUMABLE, stream().startAt(token).snapshot(5, Reason.HISTORY_LOST));
    assertHolds(stream().startAt(token).snapshot(6, Reason.POSITION_EXPIRED));
  }

  @Test
  void missingChangesAfterToken_breakResumable() {
    StreamMessages stream = stream().startAt(new StartSpec.AtToken(ChangeHistory.at(4)));
    assertBroken(Promise.RESUMABLE, stream.send(List.of(), 5, Plain.RESUMED).changes(10));
  }

  @Test
  void aServerThatEndsWithOkBreaksFramed() {
    assertBroken(Promise.FRAMED, stream().snapshot(3).end("OK", "", ""));
    assertBroken(Promise.FRAMED, stream().snapshot(3).end("UNAVAILABLE", "DRAINING", ""));
    assertHolds(stream().snapshot(3).end("UNAVAILABLE", "", ""));
  }

  @Test
  void unknownContent_breaksFramed() {
    List<RecordedMessage> messages = new ArrayList<>(stream().snapshot(3).messages());
    messages.add(new RecordedMessage.Unreadable(9, "no enum constant"));
    CheckReport report =
        Validator.judge(story.truth(), List.of(stream().snapshot(3).session(messages)));
    assertThat(report.of(Promise.FRAMED).broken()).isEqualTo(1);
  }

  @Test
  void misplacedSignals_breakFramed() {
    assertBroken(
        Promise.FRAMED, stream().snapshot(3).send(List.of(), 5, new NetEffectStarted("LAG")));
    assertBroken(Promise.FRAMED, stream().snapshot(3).send(List.of(), 4, new Synced(2)));
    assertBroken(
        Promise.FRAMED,
        stream().snapshot(3).send(List.of(), 4, new RecordedSignal.Opened(ChangeHistory.HISTORY)));
    assertBroken(Promise.FRAMED, stream().policy(Policy.CONFLATE).snapshot(3).netEffect(5));
    StreamMessages stream = stream().snapshot(3);
    assertBroken(Promise.FRAMED, stream.send(stream.changesTo(4), 0, Plain.NONE));
  }

  @Test
  void report_containsMessagesAndUpstreamChanges() {
    StreamMessages stream = stream().snapshot(3);
    stream.send(without(stream.changesTo(5), 1), 5, Plain.NONE);
    assertThat(judge(stream).text())
        .contains("COMPLETE        BROKEN 1 of 2 times")
        .contains("CONFLATION      not seen")
        .contains("ADDED ns/c uid u3 at 5 was not sent before position 5")
        .contains("> 3. changes\n      MODIFIED ns/a uid u1 at 4\n      position 5")
        .contains(
            "at position 5 there is ns/c uid u3 at 5, but applying what was sent gives absent")
        .contains("upstream:\n    ADDED ns/c uid u3 at 5");
  }

  @Test
  void truth_outOfOrder_isRejected() {
    List<RecordedChange> changes = new ArrayList<>(story.truth().changes());
    Collections.swap(changes, 0, 1);
    assertThatThrownBy(() -> new Truth(ChangeHistory.at(3), List.of(), changes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("out of order");
  }
}
