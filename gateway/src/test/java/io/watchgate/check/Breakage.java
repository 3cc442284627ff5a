package io.watchgate.check;

import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.RecordedMessage.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** An error in one event of an otherwise correct stream. */
enum Breakage {
  DROPPED {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      RecordedKey key = events.get(at).key();
      if (events.stream().filter(event -> event.key().equals(key)).count() > 1) {
        // With CONFLATE, a change may be omitted if the object was changed again.
        return Optional.empty();
      }
      List<RecordedEvent> rest = new ArrayList<>(events);
      rest.remove(at);
      return Optional.of(rest);
    }
  },
  REPEATED {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      List<RecordedEvent> more = new ArrayList<>(events);
      more.add(at, events.get(at));
      return Optional.of(more);
    }
  },
  SWAPPED {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      if (at + 1 == events.size()
          || !events.get(at + 1).version().isAfter(events.get(at).version())) {
        return Optional.empty();
      }
      List<RecordedEvent> other = new ArrayList<>(events);
      Collections.swap(other, at, at + 1);
      return Optional.of(other);
    }
  },
  OTHER_CONTENT {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      RecordedEvent old = events.get(at);
      Body body = new Body.Content(old.version(), "other");
      return Optional.of(replaced(events, at, old.kind(), old.uid(), body));
    }
  },
  OTHER_UID {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      RecordedEvent old = events.get(at);
      return Optional.of(replaced(events, at, old.kind(), "other", old.body()));
    }
  },
  OTHER_KIND {
    @Override
    Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at) {
      RecordedEvent old = events.get(at);
      RecordedKind kind =
          old.kind() == RecordedKind.ADDED ? RecordedKind.MODIFIED : RecordedKind.ADDED;
      return Optional.of(replaced(events, at, kind, old.uid(), old.body()));
    }
  };

  /**
   * Returns the events of a response with this error in one of them; empty: they would be correct.
   */
  abstract Optional<List<RecordedEvent>> events(List<RecordedEvent> events, int at);

  private static List<RecordedEvent> replaced(
      List<RecordedEvent> events, int at, RecordedKind kind, String uid, Body body) {
    RecordedEvent old = events.get(at);
    List<RecordedEvent> other = new ArrayList<>(events);
    Removal removal = kind == RecordedKind.DELETED ? old.removal() : Removal.NONE;
    other.set(at, new RecordedEvent(kind, old.key(), uid, old.version(), body, removal));
    return other;
  }

  /** Returns the messages with this error; empty: this error is not possible in them. */
  Optional<List<RecordedMessage>> of(List<RecordedMessage> heard, Random random) {
    List<Integer> candidates =
        new ArrayList<>(
            IntStream.range(0, heard.size())
                .filter(i -> heard.get(i) instanceof Response one && !one.events().isEmpty())
                .boxed()
                .toList());
    Collections.shuffle(candidates, random);
    for (int i : candidates) {
      Response old = (Response) heard.get(i);
      boolean ordered = old.signal() == RecordedSignal.Plain.NONE;
      Optional<List<RecordedEvent>> events =
          this == SWAPPED && !ordered
              ? Optional.empty()
              : events(old.events(), random.nextInt(old.events().size()));
      if (events.isPresent()) {
        List<RecordedMessage> other = new ArrayList<>(heard);
        other.set(
            i, new Response(old.nanos(), events.get(), old.version(), old.token(), old.signal()));
        return Optional.of(other);
      }
    }
    return Optional.empty();
  }
}
