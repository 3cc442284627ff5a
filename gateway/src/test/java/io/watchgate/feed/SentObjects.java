package io.watchgate.feed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.json.JsonPointer;
import io.watchgate.json.PatchedTree;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Reads the objects that events carry, and holds each byte against what really was. */
record SentObjects(Truth truth, Projection projection, int maxResponseBytes, Set<String> met) {

  static final List<Projection> PROJECTIONS =
      List.of(
          Projection.FULL,
          Projection.NO_MANAGED_FIELDS,
          Projection.METADATA,
          Projection.KEY,
          Projection.including(List.of(new JsonPointer(List.of("data", "a")))));

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
        state.put(key, event.hasPatch() ? patched(event, before) : present(event));
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
    SampleObject object = object(event);
    check(event, object);
    return object;
  }

  private SampleObject object(WatchEvent event) {
    return truth.object(
        FilteredTruth.key(event), event.getKey().getUid(), event.getResourceVersion());
  }

  /** Of what this client has: of this version, and small enough that it was sent at all. */
  private SampleObject patched(WatchEvent event, SampleObject before) {
    met.add("PATCHED");
    assertThat(projection.changes()).isEqualTo(Projection.ChangeEncoding.PATCH);
    assertThat(event.getPatch().getBaseResourceVersion()).isEqualTo(before.version());
    assertThat(body(before).length()).isLessThan(maxResponseBytes);
    SampleObject object = object(event);
    byte[] patch = event.getPatch().getJsonPatch().toByteArray();
    assertThat(2 * event.getPatch().getSerializedSize()).isLessThan(body(object).length());
    try {
      assertThat(PatchedTree.of(body(before).getBytes(UTF_8), patch))
          .isEqualTo(PatchedTree.read(body(object).getBytes(UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return object;
  }

  private String body(SampleObject object) {
    String json = object.json();
    String without = json.replace(",\"managedFields\":[{\"manager\":\"m\"}]", "");
    return switch (projection.view()) {
      case FULL -> json;
      case NO_MANAGED_FIELDS -> without;
      case METADATA -> without.substring(0, without.indexOf(",\"data\":")) + "}";
      case INCLUDED -> without.replace(object.labels(), "");
      case KEY -> "";
    };
  }

  private void check(WatchEvent event, SampleObject object) {
    String json = body(object);
    if (!projection.hasBody()) {
      met.add("KEY");
      assertThat(event.getBodyCase()).isEqualTo(WatchEvent.BodyCase.BODY_NOT_SET);
    } else if (event.hasOmitted()) {
      met.add("OMITTED");
      assertThat(event.getOmitted().getSize()).isEqualTo(json.length());
      assertThat(json.length()).isGreaterThan(maxResponseBytes - 1_024);
    } else {
      assertThat(event.getObject().toStringUtf8()).isEqualTo(json);
    }
  }
}
