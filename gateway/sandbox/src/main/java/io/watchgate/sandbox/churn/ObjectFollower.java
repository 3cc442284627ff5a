package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import io.watchgate.cache.Change;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateDiff;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observer of one type's objects, which notifies the actors of changes. */
final class ObjectFollower {
  private static final Logger log = LoggerFactory.getLogger(ObjectFollower.class);

  private final WatchCache cache;
  private final List<Actor> actors = new ArrayList<>();
  private @Nullable Revision current;

  /** Recipient of an object's changes. */
  interface Actor {
    /** Called when an object was added, changed or removed; {@code now} is null after a removal. */
    void onChange(ObjectName key, @Nullable JsonObject now);
  }

  ObjectFollower(WatchCache cache) {
    this.cache = cache;
  }

  /** Adds an actor. Actors are notified in the order in which they were added. */
  ObjectFollower addActor(Actor actor) {
    actors.add(actor);
    return this;
  }

  /** Notifies the actors of all changes since the last call; of all objects on the first call. */
  void poll() {
    Revision position = current;
    if (position == null) {
      position = Objects.requireNonNull(cache.head());
      StateCursor cursor = position.state().cursor(KeyRange.ALL);
      for (KubeObject view = cursor.peek(); view != null; view = cursor.peek()) {
        notifyActors(new Change(null, view));
        cursor.advance();
      }
    }
    while (true) {
      Revision next = position.next();
      if (next != null) {
        List<Change> changes = next.changes();
        if (changes.isEmpty() && next.kind() == Revision.Kind.CHANGES) {
          position = skipToHead(position.state()); // trimmed after it was published
        } else {
          changes.forEach(this::notifyActors);
          position = next;
        }
      } else if (position.isTrimmed()) {
        position = skipToHead(position.state());
      } else {
        current = position;
        return;
      }
    }
  }

  /** Continues at the newest revision. Only the net effect of the skipped changes is known. */
  private Revision skipToHead(StateMap from) {
    Revision head = Objects.requireNonNull(cache.head());
    StateDiff diff = new StateDiff(from, head.state(), KeyRange.ALL);
    for (Change change = diff.next(); change != null; change = diff.next()) {
      notifyActors(change);
    }
    return head;
  }

  private void notifyActors(Change change) {
    KubeObject view = change.now() == null ? Objects.requireNonNull(change.old()) : change.now();
    ObjectName key = new ObjectName(view.namespace(), view.name());
    JsonObject now = change.now() == null ? null : ClusterClient.parse(change.now());
    for (Actor actor : actors) {
      try {
        actor.onChange(key, now);
      } catch (RuntimeException e) {
        // Other clients may write any object; the simulation continues without this one.
        log.warn("simulation ignored {}: {}", key, e.toString());
      }
    }
  }
}
