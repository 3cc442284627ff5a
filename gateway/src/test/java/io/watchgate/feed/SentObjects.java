package io.watchgate.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.WatchEvent;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Reads the objects that events carry, and holds each byte against what really was. */
record SentObjects(Truth truth, Projection projection, int maxResponseBytes, Set<String> met) {

  /** Adds an object of a snapshot. */
  void collect(WatchEvent event, Map<String, SampleObject> collected) {
    assertThat(event.getType()).isEqualTo(EventType.EVENT_TYPE_ADDED);
    assertThat(event.hasReceiveTime()).isFalse();
    assertThat(collected.put(FilteredTruth.key(event), present(event))).as("sent once").isNull();
  }

  /** Applies a change. */
  void apply(WatchEvent event, Map<String, SampleObject> state) {
    String key = FilteredTruth.key(event);
    SampleObject held = state.get(key);
    switch (event.getType()) {
      case EVENT_TYPE_ADDED -> {
        assertThat(held).isNull();
        state.put(key, present(event));
      }
      case EVENT_TYPE_MODIFIED -> {
        SampleObject before = Objects.requireNonNull(held);
        assertThat(before.uid()).isEqualTo(event.getKey().getUid());
        assertThat(Long.parseLong(event.getResourceVersion()))
            .as("an object never goes back: clients drop that")
            .isGreaterThanOrEqualTo(Long.parseLong(before.version()));
        state.put(key, present(event));
      }
      case EVENT_TYPE_DELETED -> {
        SampleObject before = Objects.requireNonNull(held);
        assertThat(before.uid()).isEqualTo(event.getKey().getUid());
        check(event, before.at(event.getResourceVersion())); // its last matching state
        state.remove(key);
      }
      default -> throw new AssertionError("an event of no type");
    }
  }

  private SampleObject present(WatchEvent event) {
    SampleObject object =
        truth.object(FilteredTruth.key(event), event.getKey().getUid(), event.getResourceVersion());
    check(event, object);
    return object;
  }

  private void check(WatchEvent event, SampleObject object) {
    String json =
        projection.equals(Projection.FULL)
            ? object.json()
            : object.json().replace(",\"managedFields\":[{\"manager\":\"m\"}]", "");
    if (event.hasOmitted()) {
      met.add("OMITTED");
      assertThat(event.getOmitted().getSize()).isEqualTo(json.length());
      assertThat(json.length()).isGreaterThan(maxResponseBytes - 1_024);
    } else {
      assertThat(event.getObject().toStringUtf8()).isEqualTo(json);
    }
  }
}
