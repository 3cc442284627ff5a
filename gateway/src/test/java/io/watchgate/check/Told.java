package io.watchgate.check;

import io.watchgate.check.Event.Removal;
import io.watchgate.check.Heard.Response;
import io.watchgate.check.Session.Policy;
import io.watchgate.check.Signal.Bookmark;
import io.watchgate.check.Signal.NetEffectStarted;
import io.watchgate.check.Signal.Opened;
import io.watchgate.check.Signal.Plain;
import io.watchgate.check.Signal.SnapshotStarted;
import io.watchgate.check.Signal.SnapshotStarted.Reason;
import io.watchgate.check.Signal.Synced;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a gateway says of a {@link Story} to one stream: faithfully, unless it is told otherwise.
 */
final class Told {
  private final Query query;
  private final Selected selected;
  private final List<Heard> heard = new ArrayList<>();
  private Policy policy = Policy.RESYNC;
  private Start start = new Start.WithSnapshot();
  private Version minimum = Version.NONE;
  private long position;

  Told(Story story, Query query) {
    this.query = query;
    this.selected = new Selected(story.truth(), query);
    say(List.of(), 0, new Opened(Story.HISTORY));
  }

  Told policy(Policy value) {
    policy = value;
    return this;
  }

  Told minimum(long version) {
    minimum = Story.at(version);
    return this;
  }

  /** A stream that goes on from a token. */
  Told resumed(long version) {
    start = new Start.AtToken(Story.at(version));
    return say(List.of(), version, Plain.RESUMED);
  }

  /** A stream that asked to go on, and is answered by whatever follows. */
  Told asked(Start where) {
    start = where;
    return this;
  }

  Told snapshot(long at) {
    return snapshot(at, Reason.REQUESTED);
  }

  Told snapshot(long at, Reason reason) {
    List<Event> events = new ArrayList<>();
    selected
        .at(Story.at(at))
        .values()
        .forEach(
            state -> events.add(Story.event(Kind.ADDED, state, state.version(), Removal.NONE)));
    say(List.of(), 0, new SnapshotStarted(reason, Story.HISTORY));
    return say(events, at, new Synced(events.size()));
  }

  /** Each change up to a version, in one response. */
  Told changes(long to) {
    return say(changesTo(to), to, Plain.NONE);
  }

  List<Event> changesTo(long to) {
    return Story.events(selected.between(Story.at(position), Story.at(to)));
  }

  Told netEffect(long to) {
    List<Event> events = difference(to, Removal.INFERRED);
    say(List.of(), 0, new NetEffectStarted("UPSTREAM_GAP"));
    return say(events, to, Plain.NONE);
  }

  /** What came of all up to a version, unannounced. */
  Told conflated(long to) {
    return say(difference(to, Removal.INFERRED), to, Plain.NONE);
  }

  List<Event> difference(long to, Removal removal) {
    return Story.difference(
        selected.at(Story.at(position)), selected.at(Story.at(to)), Story.at(to), removal);
  }

  /** Verified right before the next step. */
  Told bookmark(long at) {
    return bookmark(at, Story.time(at + 1).minusMillis(1));
  }

  Told bookmark(long at, Instant verified) {
    return say(List.of(), at, new Bookmark(Optional.of(verified)));
  }

  /** Whatever it is. */
  Told say(List<Event> events, long at, Signal signal) {
    if (at != 0) {
      position = at;
    }
    heard.add(
        new Response(heard.size(), events, Story.at(at), at == 0 ? "" : "token of " + at, signal));
    return this;
  }

  Told end(String code, String reason, String action) {
    heard.add(new Heard.Ended(heard.size(), code, reason, action));
    return this;
  }

  long position() {
    return position;
  }

  Session session() {
    return session(heard);
  }

  /** As if this had been heard. */
  Session session(List<Heard> instead) {
    return new Session("stream", query, Shape.FULL, policy, start, minimum, Story.HISTORY, instead);
  }

  List<Heard> heard() {
    return List.copyOf(heard);
  }
}
