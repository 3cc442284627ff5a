package io.watchgate.fanout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.json.PatchedTree;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Checker of sent objects: compares every byte with the truth. */
record SentObjects(
    Truth truth, ObjectProjection projection, int maxResponseBytes, Set<String> met) {

  /** Adds an object of a snapshot. */
  void collect(WatchEvent event, Map<String, SampleObject> collected, Set<String> bodiless) {
    assertThat(event.getType()).isEqualTo(EventType.EVENT_TYPE_ADDED);
    assertThat(event.hasReceiveTime()).isFalse();
    assertThat(event.hasPatch()).isFalse();
    assertThat(collected.put(FilteredTruth.key(event), present(event))).as("sent once").isNull();
    note(event, bodiless);
  }

  /** Applies a change. */
  void apply(WatchEvent event, Map<String, SampleObject> state, Set<String> bodiless) {
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
        if (event.hasPatch()) {
          assertThat(bodiless).as("a patch onto a body that was omitted").doesNotContain(key);
          state.put(key, patched(event, before));
        } else {
          state.put(key, present(event));
        }
      }
      case EVENT_TYPE_DELETED -> {
        SampleObject before = Objects.requireNonNull(held);
        assertThat(before.uid()).isEqualTo(event.getKey().getUid());
        check(event, before.at(event.getResourceVersion())); // its last matching state
        state.remove(key);
      }
      default -> throw new AssertionError("an event of no type");
    }
    note(event, bodiless);
  }

  private static void note(WatchEvent event, Set<String> bodiless) {
    if (event.hasOmitted()) {
      bodiless.add(FilteredTruth.key(event));
    } else {
      bodiless.remove(FilteredTruth.key(event));
    }
  }

  /** The patched object must equal the object of the truth. */
  private SampleObject patched(WatchEvent event, SampleObject held) {
    met.add("PATCHED");
    assertThat(projection.changeEncoding()).isEqualTo(ObjectProjection.ChangeEncoding.PATCH);
    assertThat(event.hasReceiveTime()).as("a patch in a net effect").isTrue();
    assertThat(event.getPatch().getBaseResourceVersion()).isEqualTo(held.version());
    SampleObject now = object(event);
    try {
      assertThat(
              PatchedTree.of(
                  json(held).getBytes(UTF_8), event.getPatch().getJsonPatch().toByteArray()))
          .isEqualTo(PatchedTree.read(json(now).getBytes(UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return now;
  }

  private SampleObject object(WatchEvent event) {
    return truth.object(
        FilteredTruth.key(event), event.getKey().getUid(), event.getResourceVersion());
  }

  private SampleObject present(WatchEvent event) {
    SampleObject object = object(event);
    check(event, object);
    return object;
  }

  private void check(WatchEvent event, SampleObject object) {
    if (!projection.hasBody()) {
      assertThat(event.getBodyCase()).isEqualTo(WatchEvent.BodyCase.BODY_NOT_SET);
      return;
    }
    String json = json(object);
    if (event.hasOmitted()) {
      met.add("OMITTED");
      assertThat(event.getOmitted().getSize()).isEqualTo(json.length());
      assertThat(json.length()).isGreaterThan(maxResponseBytes - 1_024);
    } else {
      assertThat(event.getObject().toStringUtf8()).isEqualTo(json);
    }
  }

  /** Returns the projected object. */
  private String json(SampleObject object) {
    String without = object.json().replace(",\"managedFields\":[{\"manager\":\"m\"}]", "");
    return switch (projection.view()) {
      case FULL -> object.json();
      case NO_MANAGED_FIELDS -> without;
      case METADATA -> without.substring(0, without.indexOf(",\"data\"")) + "}";
      case KEY, INCLUDED -> throw new AssertionError("nobody asks for that here");
    };
  }
}
