package io.watchgate.e2e.promises;

import com.google.gson.JsonObject;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.RecordedEvent;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.RecordedMessage;
import io.watchgate.check.RecordedSignal;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.check.Truth;
import io.watchgate.check.run.JsonDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One list, or one watch, in the terms of the judge. Used by one thread at a time. */
final class WatchSession {
  private static final String HISTORY = "as the Kubernetes read API shows it";

  /** Placeholder where the judge requires a token. */
  private static final String TOKEN = "00";

  private final StartSpec start;
  private final CheckedVersion minimum;
  private final List<Message> messages = new ArrayList<>();
  private boolean inSnapshot;
  private long objects;

  /** Event or listed object. Its digest is made at the end, so that the run is not slowed down. */
  record Received(RecordedKind kind, JsonObject object) {
    static CheckedVersion version(JsonObject object) {
      return CheckedVersion.of(
          object.getAsJsonObject("metadata").get("resourceVersion").getAsString());
    }

    CheckedVersion version() {
      return version(object);
    }

    /** Kubernetes does not say why an object is removed: the truth has it. */
    private RecordedEvent event(Set<CheckedVersion> deletions) {
      JsonObject metadata = object.getAsJsonObject("metadata");
      CheckedVersion version = version();
      Removal gone =
          deletions.contains(version) ? Removal.OBJECT_DELETED : Removal.NO_LONGER_MATCHES;
      return new RecordedEvent(
          kind,
          new RecordedKey(
              metadata.get("namespace").getAsString(), metadata.get("name").getAsString()),
          metadata.get("uid").getAsString(),
          version,
          new Body.Content(version, JsonDigest.of(object)),
          kind == RecordedKind.DELETED ? gone : Removal.NONE);
    }
  }

  private record Message(
      long nanos, List<Received> events, CheckedVersion version, RecordedSignal signal) {
    RecordedMessage judged(Set<CheckedVersion> deletions) {
      return new RecordedMessage.Response(
          nanos,
          events.stream().map(event -> event.event(deletions)).toList(),
          version,
          version.equals(CheckedVersion.NONE) ? "" : TOKEN,
          signal);
    }
  }

  /**
   * @param minimum version that a snapshot must have reached; NONE: any
   */
  WatchSession(StartSpec start, CheckedVersion minimum) {
    this.start = start;
    this.minimum = minimum;
    add(List.of(), CheckedVersion.NONE, new RecordedSignal.Opened(HISTORY));
    if (start instanceof StartSpec.WithSnapshot) {
      inSnapshot = true;
      add(
          List.of(),
          CheckedVersion.NONE,
          new RecordedSignal.SnapshotStarted(
              RecordedSignal.SnapshotStarted.Reason.REQUESTED, HISTORY));
    }
  }

  boolean isInSnapshot() {
    return inSnapshot;
  }

  /** Adds a message; NONE: it has no position. */
  void add(List<Received> events, CheckedVersion version, RecordedSignal signal) {
    objects += events.size();
    messages.add(new Message(System.nanoTime(), List.copyOf(events), version, signal));
  }

  /** Adds the last objects of a snapshot. */
  void snapshotEnds(List<Received> last, CheckedVersion version) {
    add(last, version, new RecordedSignal.Synced(objects + last.size()));
    inSnapshot = false;
  }

  /** Returns the session for the judge. */
  Session judged(WatchSelection selection, Truth truth) {
    Set<CheckedVersion> deletions =
        truth.changes().stream()
            .filter(change -> change.kind() == RecordedKind.DELETED)
            .map(change -> change.state().version())
            .collect(Collectors.toSet());
    return new Session(
        selection + ", " + start,
        new Session.Request(
            selection.selected(), ProjectionSpec.FULL, Session.Policy.DISCONNECT, start, minimum),
        HISTORY,
        messages.stream().map(message -> message.judged(deletions)).toList());
  }
}
