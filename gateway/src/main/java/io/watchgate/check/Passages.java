package io.watchgate.check;

import io.watchgate.check.Signal.NetEffectStarted;
import io.watchgate.check.Signal.Opened;
import io.watchgate.check.Signal.Plain;
import io.watchgate.check.Signal.SnapshotStarted;
import io.watchgate.check.Signal.Synced;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts what a stream heard into passages, as a client would that follows the contract. It ends
 * where another history begins: what happened there is another truth.
 */
final class Passages {
  private final List<Passage> found = new ArrayList<>();
  private final List<Event> pending = new ArrayList<>();
  private Signal group = Plain.NONE;
  private Version position;

  private Passages(Version start) {
    this.position = start;
  }

  static List<Passage> of(Session session) {
    Passages passages = new Passages(session.start().floor());
    for (int at = 0; at < session.heard().size(); at++) {
      if (session.heard().get(at) instanceof Heard.Response response
          && !passages.take(response, at, session.history())) {
        return passages.found;
      }
    }
    if (!passages.pending.isEmpty() && passages.group == Plain.NONE) {
      passages.found.add(
          new Passage.Cut(passages.position, passages.pending, session.heard().size() - 1));
    }
    return passages.found;
  }

  /** Whether it is of the same history. */
  private boolean take(Heard.Response response, int at, String history) {
    pending.addAll(response.events());
    switch (response.signal()) {
      case SnapshotStarted started -> {
        if (started.reason().startsAnotherHistory() || !started.history().equals(history)) {
          return false;
        }
        group = started;
        pending.clear();
      }
      case NetEffectStarted started -> {
        group = started;
        pending.clear();
      }
      case Synced synced -> {
        if (group instanceof SnapshotStarted started) {
          found.add(
              new Passage.Snapshot(
                  position, response.version(), started.reason(), pending, synced.objects(), at));
        }
        reach(response);
        return true;
      }
      case Opened _, Signal.Bookmark _, Plain _ -> {}
    }
    if (response.hasPosition()) {
      found.add(
          group instanceof NetEffectStarted
              ? new Passage.NetEffect(position, response.version(), pending, at)
              : new Passage.Changes(position, response.version(), pending, at));
      reach(response);
    }
    return true;
  }

  private void reach(Heard.Response response) {
    if (response.hasPosition()) {
      position = response.version();
    }
    group = Plain.NONE;
    pending.clear();
  }
}
