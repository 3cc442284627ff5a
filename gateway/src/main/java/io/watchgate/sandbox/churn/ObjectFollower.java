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

/** Shows the actors what became of the objects of one type. */
final class ObjectFollower {
  private static final Logger log = LoggerFactory.getLogger(ObjectFollower.class);

  private final WatchCache cache;
  private final List<Actor> actors = new ArrayList<>();
  private @Nullable Revision at;

  /** Takes in what became of an object. */
  interface Actor {
    /** {@code now} is null once the object is gone. */
    void saw(ObjectName key, @Nullable JsonObject now);
  }

  ObjectFollower(WatchCache cache) {
    this.cache = cache;
  }

  /** They are shown changes in the order in which they were added. */
  ObjectFollower to(Actor actor) {
    actors.add(actor);
    return this;
  }

  /** Shows all that happened since the last call; the first time all there is. */
  void follow() {
    Revision position = at;
    if (position == null) {
      position = Objects.requireNonNull(cache.head());
      StateCursor cursor = position.state().cursor(KeyRange.ALL);
      for (KubeObject view = cursor.peek(); view != null; view = cursor.peek()) {
        show(new Change(null, view));
        cursor.advance();
      }
    }
    while (true) {
      Revision next = position.next();
      if (next != null) {
        List<Change> changes = next.changes();
        if (changes.isEmpty() && next.kind() == Revision.Kind.CHANGES) {
          position = jump(position.state()); // trimmed since we saw it
        } else {
          changes.forEach(this::show);
          position = next;
        }
      } else if (position.trimmed()) {
        position = jump(position.state());
      } else {
        at = position;
        return;
      }
    }
  }

  /** What happened since is known by its net effect only. */
  private Revision jump(StateMap from) {
    Revision head = Objects.requireNonNull(cache.head());
    StateDiff diff = new StateDiff(from, head.state(), KeyRange.ALL);
    for (Change change = diff.next(); change != null; change = diff.next()) {
      show(change);
    }
    return head;
  }

  private void show(Change change) {
    KubeObject view = change.now() == null ? Objects.requireNonNull(change.old()) : change.now();
    ObjectName key = new ObjectName(view.namespace(), view.name());
    JsonObject now = change.now() == null ? null : ClusterClient.parse(change.now());
    for (Actor actor : actors) {
      try {
        actor.saw(key, now);
      } catch (RuntimeException e) {
        // Anybody may write anything; the cluster lives on without it.
        log.warn("churn makes nothing of {}: {}", key, e.toString());
      }
    }
  }
}
