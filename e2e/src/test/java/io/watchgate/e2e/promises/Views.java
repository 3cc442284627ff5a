package io.watchgate.e2e.promises;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.watchgate.check.Event;
import io.watchgate.check.Event.Body;
import io.watchgate.check.Heard;
import io.watchgate.check.Key;
import io.watchgate.check.Kind;
import io.watchgate.check.Session;
import io.watchgate.check.Signal;
import io.watchgate.check.Start;
import io.watchgate.check.Version;
import io.watchgate.check.run.Digests;
import io.watchgate.informer.ObjectKey;
import io.watchgate.informer.Removal;
import io.watchgate.informer.Snapshot;
import io.watchgate.informer.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says to the judge, as if it had been heard over a stream, what an informer showed: its store as a
 * snapshot and then the differences from one look to the next, each at the version that the store
 * had; its handlers as one piece of history. Nothing has a decision of its own here: whoever
 * conflates may leave out states, and everything else that is promised of a stream holds for an
 * informer.
 */
final class Views {
  private static final String HISTORY = "as informers show it";

  /** What the judge wants where a version is. */
  private static final String TOKEN = "00";

  private Views() {}

  static Event event(Kind kind, Stored<ByteString> object) {
    return new Event(
        kind,
        key(object.key()),
        object.uid(),
        Version.of(object.resourceVersion()),
        body(object, object.resourceVersion()),
        Event.Removal.NONE);
  }

  /**
   * @param version at which it was gone at the latest
   */
  static Event removed(Stored<ByteString> last, String version, Removal removal) {
    return new Event(
        Kind.DELETED,
        key(last.key()),
        last.uid(),
        Version.of(version),
        body(last, version),
        switch (removal) {
          case DELETED -> Event.Removal.OBJECT_DELETED;
          case NO_LONGER_MATCHES -> Event.Removal.NO_LONGER_MATCHES;
          case INFERRED -> Event.Removal.INFERRED;
        });
  }

  private static Key key(ObjectKey key) {
    return new Key(key.namespace(), key.name());
  }

  /** What it says of its own version is compared where it is not gone. */
  private static Body body(Stored<ByteString> object, String version) {
    try {
      JsonObject json = JsonParser.parseString(object.value().toStringUtf8()).getAsJsonObject();
      String own = json.getAsJsonObject("metadata").get("resourceVersion").getAsString();
      return new Body.Content(
          Version.of(object.resourceVersion().equals(own) ? version : own), Digests.of(json));
    } catch (RuntimeException e) {
      return new Body.Broken("what is held is no object: " + e.getMessage());
    }
  }

  /** A store, at each look. */
  static Session ofStore(String name, Interest interest, List<Snapshot<ByteString>> looks) {
    List<Heard> heard = new ArrayList<>();
    heard.add(response(List.of(), "", new Signal.Opened(HISTORY)));
    heard.add(
        response(
            List.of(),
            "",
            new Signal.SnapshotStarted(Signal.SnapshotStarted.Reason.REQUESTED, HISTORY)));
    Map<ObjectKey, Stored<ByteString>> before = new HashMap<>();
    for (Snapshot<ByteString> look : looks) {
      boolean isFirst = heard.size() == 2;
      Map<ObjectKey, Stored<ByteString>> after = new HashMap<>();
      look.forEach(object -> after.put(object.key(), object));
      List<Event> events = difference(before, after, look.resourceVersion());
      Signal signal = isFirst ? new Signal.Synced(events.size()) : Signal.Plain.NONE;
      heard.add(response(events, look.resourceVersion(), signal));
      before = after;
    }
    return session(name, interest, new Start.WithSnapshot(), heard);
  }

  private static List<Event> difference(
      Map<ObjectKey, Stored<ByteString>> before,
      Map<ObjectKey, Stored<ByteString>> after,
      String version) {
    List<Event> events = new ArrayList<>();
    before.forEach(
        (key, was) -> {
          @Nullable Stored<ByteString> is = after.get(key);
          if (is == null || !is.uid().equals(was.uid())) {
            events.add(removed(was, version, Removal.INFERRED));
          }
        });
    after.forEach(
        (key, is) -> {
          @Nullable Stored<ByteString> was = before.get(key);
          if (was == null || !was.uid().equals(is.uid())) {
            events.add(event(Kind.ADDED, is));
          } else if (!was.equals(is)) {
            events.add(event(Kind.MODIFIED, is));
          }
        });
    return events;
  }

  /**
   * A handler, that began when nothing was there.
   *
   * @param end where what it was told has led to; empty: it was removed before
   */
  static Session ofHandler(Told told, Interest interest, Version begin, String end) {
    return session(
        told.name(),
        interest,
        new Start.AtVersion(begin),
        List.of(
            response(List.of(), "", new Signal.Opened(HISTORY)),
            response(told.events(), end, Signal.Plain.NONE)));
  }

  private static Heard response(List<Event> events, String version, Signal signal) {
    return new Heard.Response(
        System.nanoTime(),
        events,
        version.isEmpty() ? Version.NONE : Version.of(version),
        version.isEmpty() ? "" : TOKEN,
        signal);
  }

  private static Session session(String name, Interest interest, Start start, List<Heard> heard) {
    return new Session(
        name,
        interest.query(),
        interest.shape(),
        Session.Policy.CONFLATE,
        start,
        Version.NONE,
        HISTORY,
        heard);
  }
}
