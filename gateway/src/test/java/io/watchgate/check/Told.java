package io.watchgate.check;

import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.RecordedMessage.Response;
import io.watchgate.check.RecordedSignal.Bookmark;
import io.watchgate.check.RecordedSignal.NetEffectStarted;
import io.watchgate.check.RecordedSignal.Opened;
import io.watchgate.check.RecordedSignal.Plain;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import io.watchgate.check.RecordedSignal.SnapshotStarted.Reason;
import io.watchgate.check.RecordedSignal.Synced;
import io.watchgate.check.Session.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Messages of a gateway to one stream on a {@link Story}, correct by default. */
final class Told {
  private final SelectionSpec query;
  private final FilteredTruth selected;
  private final List<RecordedMessage> heard = new ArrayList<>();
  private Policy policy = Policy.RESYNC;
  private StartSpec start = new StartSpec.WithSnapshot();
  private CheckedVersion minimum = CheckedVersion.NONE;
  private long position;

  Told(Story story, SelectionSpec query) {
    this.query = query;
    this.selected = new FilteredTruth(story.truth(), query);
    send(List.of(), 0, new Opened(Story.HISTORY));
  }

  Told policy(Policy value) {
    policy = value;
    return this;
  }

  Told minimum(long version) {
    minimum = Story.at(version);
    return this;
  }

  /** Starts the stream at a token. */
  Told resumed(long version) {
    start = new StartSpec.AtToken(Story.at(version));
    return send(List.of(), version, Plain.RESUMED);
  }

  /** Sets the start of the request, without a response to it. */
  Told startAt(StartSpec where) {
    start = where;
    return this;
  }

  Told snapshot(long at) {
    return snapshot(at, Reason.REQUESTED);
  }

  Told snapshot(long at, Reason reason) {
    List<RecordedEvent> events = new ArrayList<>();
    selected
        .at(Story.at(at))
        .values()
        .forEach(
            state ->
                events.add(Story.event(RecordedKind.ADDED, state, state.version(), Removal.NONE)));
    send(List.of(), 0, new SnapshotStarted(reason, Story.HISTORY));
    return send(events, at, new Synced(events.size()));
  }

  /** Sends each change up to a version, in one response. */
  Told changes(long to) {
    return send(changesTo(to), to, Plain.NONE);
  }

  List<RecordedEvent> changesTo(long to) {
    return Story.events(selected.between(Story.at(position), Story.at(to)));
  }

  Told netEffect(long to) {
    List<RecordedEvent> events = difference(to, Removal.INFERRED);
    send(List.of(), 0, new NetEffectStarted("UPSTREAM_GAP"));
    return send(events, to, Plain.NONE);
  }

  /** Sends the net effect of all changes up to a version, without announcing it. */
  Told conflated(long to) {
    return send(difference(to, Removal.INFERRED), to, Plain.NONE);
  }

  List<RecordedEvent> difference(long to, Removal removal) {
    return Story.difference(
        selected.at(Story.at(position)), selected.at(Story.at(to)), Story.at(to), removal);
  }

  /** Sends a bookmark that was verified immediately before the next change. */
  Told bookmark(long at) {
    return bookmark(at, Story.time(at + 1).minusMillis(1));
  }

  Told bookmark(long at, Instant verified) {
    return send(List.of(), at, new Bookmark(Optional.of(verified)));
  }

  /** Sends any response. */
  Told send(List<RecordedEvent> events, long at, RecordedSignal signal) {
    if (at != 0) {
      position = at;
    }
    heard.add(
        new Response(heard.size(), events, Story.at(at), at == 0 ? "" : "token of " + at, signal));
    return this;
  }

  Told end(String code, String reason, String action) {
    heard.add(new RecordedMessage.Ended(heard.size(), code, reason, action));
    return this;
  }

  long position() {
    return position;
  }

  Session session() {
    return session(heard);
  }

  /** Returns the session with other messages. */
  Session session(List<RecordedMessage> instead) {
    return new Session(
        "stream", query, ProjectionSpec.FULL, policy, start, minimum, Story.HISTORY, instead);
  }

  List<RecordedMessage> heard() {
    return List.copyOf(heard);
  }
}
