package io.watchgate.e2e.promises;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.RecordedEvent;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedKey;
import io.watchgate.check.RecordedKind;
import io.watchgate.check.RecordedMessage;
import io.watchgate.check.RecordedSignal;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.check.run.JsonDigest;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.NamespacedName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converter of an informer's observations into sessions for the judge. A store becomes a snapshot
 * and then the differences between observations, each at the version of the store. The changes of a
 * handler, or of a reader of a package's store, become one sequence. The conversion makes no
 * decisions: conflation may leave out states, and all other promises of a stream apply to an
 * informer.
 */
final class InformerSessions {
  private static final String HISTORY = "as informers show it";

  /** Placeholder where the judge requires a token. */
  private static final String TOKEN = "00";

  private InformerSessions() {}

  static RecordedEvent event(RecordedKind kind, HeldObject object) {
    return new RecordedEvent(
        kind,
        key(object.key()),
        object.uid(),
        CheckedVersion.of(object.resourceVersion()),
        body(object, object.resourceVersion()),
        RecordedEvent.Removal.NONE);
  }

  /**
   * Returns a deletion event.
   *
   * @param version latest version at which the object can have been deleted
   */
  static RecordedEvent removed(HeldObject last, String version, DeletionReason removal) {
    return new RecordedEvent(
        RecordedKind.DELETED,
        key(last.key()),
        last.uid(),
        CheckedVersion.of(version),
        body(last, version),
        switch (removal) {
          case DELETED -> RecordedEvent.Removal.OBJECT_DELETED;
          case NO_LONGER_MATCHES -> RecordedEvent.Removal.NO_LONGER_MATCHES;
          case INFERRED -> RecordedEvent.Removal.INFERRED;
        });
  }

  private static RecordedKey key(NamespacedName key) {
    return new RecordedKey(key.namespace(), key.name());
  }

  /**
   * Returns whether two states of an object differ in their bytes only, as when the apiserver
   * writes an object in another form. An informer reports this, because it cannot know that no
   * member differs; to the judge it is no change.
   */
  static boolean isOtherForm(HeldObject before, HeldObject after) {
    return before.uid().equals(after.uid())
        && before.resourceVersion().equals(after.resourceVersion())
        && !before.json().equals(after.json())
        && body(before, before.resourceVersion()) instanceof Body.Content content
        && content.equals(body(after, after.resourceVersion()));
  }

  /**
   * The version inside the body is compared with the event's version, unless the object was
   * deleted.
   */
  private static Body body(HeldObject object, String version) {
    try {
      JsonObject json = JsonParser.parseString(object.json().toStringUtf8()).getAsJsonObject();
      String own = json.getAsJsonObject("metadata").get("resourceVersion").getAsString();
      return new Body.Content(
          CheckedVersion.of(object.resourceVersion().equals(own) ? version : own),
          JsonDigest.of(json));
    } catch (RuntimeException e) {
      return new Body.Broken("what is held is no object: " + e.getMessage());
    }
  }

  /** Returns the session of a store's observations. */
  static Session ofStore(String name, InformerSelection interest, List<StoreState> states) {
    List<RecordedMessage> messages = new ArrayList<>();
    messages.add(response(List.of(), "", new RecordedSignal.Opened(HISTORY)));
    messages.add(
        response(
            List.of(),
            "",
            new RecordedSignal.SnapshotStarted(
                RecordedSignal.SnapshotStarted.Reason.REQUESTED, HISTORY)));
    Map<NamespacedName, HeldObject> before = new HashMap<>();
    for (StoreState state : states) {
      boolean isFirst = messages.size() == 2;
      Map<NamespacedName, HeldObject> after = state.objects();
      List<RecordedEvent> events = difference(before, after, state.resourceVersion());
      RecordedSignal signal =
          isFirst ? new RecordedSignal.Synced(events.size()) : RecordedSignal.Plain.NONE;
      messages.add(response(events, state.resourceVersion(), signal));
      before = after;
    }
    return session(name, interest, new StartSpec.WithSnapshot(), messages);
  }

  private static List<RecordedEvent> difference(
      Map<NamespacedName, HeldObject> before,
      Map<NamespacedName, HeldObject> after,
      String version) {
    List<RecordedEvent> events = new ArrayList<>();
    before.forEach(
        (key, was) -> {
          @Nullable HeldObject is = after.get(key);
          if (is == null || !is.uid().equals(was.uid())) {
            events.add(removed(was, version, DeletionReason.INFERRED));
          }
        });
    after.forEach(
        (key, is) -> {
          @Nullable HeldObject was = before.get(key);
          if (was == null || !was.uid().equals(is.uid())) {
            events.add(event(RecordedKind.ADDED, is));
          } else if (!was.equals(is) && !isOtherForm(was, is)) {
            events.add(event(RecordedKind.MODIFIED, is));
          }
        });
    return events;
  }

  /**
   * Returns the session of a handler or a reader, which began without objects.
   *
   * @param end version after the last change; empty: the handler was removed before
   */
  static Session ofHandler(
      String name,
      List<RecordedEvent> events,
      InformerSelection interest,
      CheckedVersion begin,
      String end) {
    return session(
        name,
        interest,
        new StartSpec.AtVersion(begin),
        List.of(
            response(List.of(), "", new RecordedSignal.Opened(HISTORY)),
            response(events, end, RecordedSignal.Plain.NONE)));
  }

  private static RecordedMessage response(
      List<RecordedEvent> events, String version, RecordedSignal signal) {
    return new RecordedMessage.Response(
        System.nanoTime(),
        events,
        version.isEmpty() ? CheckedVersion.NONE : CheckedVersion.of(version),
        version.isEmpty() ? "" : TOKEN,
        signal);
  }

  private static Session session(
      String name, InformerSelection interest, StartSpec start, List<RecordedMessage> messages) {
    return new Session(
        name,
        new Session.Request(
            interest.query(),
            interest.projection(),
            Session.Policy.CONFLATE,
            start,
            CheckedVersion.NONE),
        HISTORY,
        messages);
  }
}
