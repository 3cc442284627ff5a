package io.watchgate.encode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.json.RandomJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that projected bodies equal the corresponding parts of Jackson's tree. */
final class ObjectProjectionTest {
  private static final int RUNS = 1_000;
  private static final ObjectMapper JACKSON = new ObjectMapper();
  private static final String POD =
      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"a\","
          + "\"uid\":\"u\",\"resourceVersion\":\"7\",\"labels\":{\"app\":\"w\"},"
          + "\"managedFields\":[{}]},\"spec\":{\"nodeName\":\"x\",\"host\":\"7\"}}";

  private static String text(ByteSlices body) {
    return new String(body.toByteArray(), UTF_8);
  }

  private static KubeObject view(String json) throws JsonException {
    return KubeObject.read(json.getBytes(UTF_8), FieldPaths.NONE);
  }

  @Test
  void eachView_hasItsParts() throws JsonException {
    KubeObject pod = view(POD);
    String rest = ",\"spec\":{\"nodeName\":\"x\",\"host\":\"7\"}}";
    String without = POD.replace(",\"managedFields\":[{}]", "");

    assertThat(text(ObjectProjection.FULL.body(pod))).isEqualTo(POD);
    assertThat(text(ObjectProjection.NO_MANAGED_FIELDS.body(pod))).isEqualTo(without);
    assertThat(text(ObjectProjection.METADATA.body(pod))).isEqualTo(without.replace(rest, "}"));
    assertThat(ObjectProjection.KEY.body(pod).isEmpty()).isTrue();
    assertThat(ObjectProjection.KEY.hasBody()).isFalse();
    assertThat(text(SampleProjection.including("/spec/nodeName").body(pod)))
        .isEqualTo(
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"a\","
                + "\"uid\":\"u\",\"resourceVersion\":\"7\"},\"spec\":{\"nodeName\":\"x\"}}");
  }

  @Test
  void deletedObject_hasTheVersionOfTheDeletion() throws JsonException {
    KubeObject pod = view(POD);
    for (ObjectProjection projection :
        List.of(
            ObjectProjection.FULL,
            ObjectProjection.NO_MANAGED_FIELDS,
            ObjectProjection.METADATA,
            SampleProjection.including("/spec/host", "/metadata/labels"),
            SampleProjection.including("/metadata"))) {
      assertThat(text(projection.body(pod, "1234")))
          .isEqualTo(
              text(projection.body(pod))
                  .replace("\"resourceVersion\":\"7\"", "\"resourceVersion\":\"1234\""))
          .contains("1234");
    }
    assertThat(ObjectProjection.KEY.body(pod, "1234").isEmpty()).isTrue();
  }

  @Test
  void body_isNotCopied() throws JsonException {
    KubeObject pod = view(POD);
    for (ObjectProjection projection :
        List.of(ObjectProjection.NO_MANAGED_FIELDS, ObjectProjection.METADATA)) {
      ByteSlices body = projection.body(pod);
      assertThat(body.array(0)).isSameAs(pod.bytes());
      assertThat(body.count()).as("pieces of %s", projection).isLessThanOrEqualTo(3);
    }
    assertThat(ObjectProjection.FULL.body(pod).array(0)).isSameAs(pod.bytes());
  }

  @Test
  void brokenJsonInAnUnparsedPart_throws() throws JsonException {
    KubeObject broken = view(POD.replace("\"host\":", "\"host\""));
    assertThat(text(ObjectProjection.METADATA.body(broken))).endsWith("}}");
    assertThatThrownBy(() -> SampleProjection.including("/spec/x").body(broken))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a/n@7")
        .hasMessageNotContaining("nodeName");
  }

  @Test
  void projectionNames_areUnchanged() {
    assertThat(ObjectProjection.FULL.name()).isEqualTo("FULL");
    assertThat(ObjectProjection.NO_MANAGED_FIELDS.name()).isEqualTo("NO_MANAGED_FIELDS");
  }

  @Test
  void projectionsWithDifferentOutput_areNotEqual() throws JsonException {
    ObjectProjection pointers = SampleProjection.including("/b", "/a/x", "/a/x", "/b/c");
    assertThat(pointers)
        .isEqualTo(SampleProjection.including("/a/x", "/b"))
        .hasSameHashCodeAs(SampleProjection.including("/a/x", "/b"));
    List<ObjectProjection> all = new ArrayList<>();
    for (ObjectProjection view :
        List.of(
            ObjectProjection.FULL,
            ObjectProjection.NO_MANAGED_FIELDS,
            ObjectProjection.METADATA,
            pointers,
            SampleProjection.including("/a/x ~0 /b"),
            SampleProjection.including())) {
      assertThat(view.withPatches()).isEqualTo(view.withPatches().withPatches());
      assertThat(view.withPatches().withFullChanges()).isEqualTo(view);
      assertThat(view.withFullChanges()).isSameAs(view);
      all.add(view);
      all.add(view.withPatches());
    }
    all.add(ObjectProjection.KEY);
    assertThat(all).doesNotHaveDuplicates();
    assertThat(all).extracting(ObjectProjection::name).doesNotHaveDuplicates();
    assertThat(ObjectProjection.KEY.withPatches()).isEqualTo(ObjectProjection.KEY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metadata/name", "/kind", "/apiVersion", "/metadata/resourceVersion"})
  void identifyingFields_areAlwaysSent(String pointer) throws JsonException {
    KubeObject pod = view(POD);
    assertThat(text(SampleProjection.including(pointer).body(pod)))
        .isEqualTo(text(SampleProjection.including().body(pod)));
  }

  @ParameterizedTest
  @CsvSource({
    "true, true",
    "true, false",
    "false, true",
    "false, false",
  })
  void randomObject_equalsTheProjectedJacksonTree(boolean pretty, boolean deleted)
      throws Exception {
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        compare(new Random(seed), pretty, deleted);
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  private static void compare(Random random, boolean pretty, boolean deleted) throws Exception {
    ObjectNode object = object(random);
    byte[] bytes =
        pretty
            ? JACKSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(object)
            : JACKSON.writeValueAsBytes(object);
    object = (ObjectNode) JACKSON.readTree(bytes); // numbers as they are in the text
    KubeObject view = KubeObject.read(bytes, FieldPaths.NONE);
    if (deleted) {
      object.withObject("/metadata").put("resourceVersion", "123456789");
    }

    check(ObjectProjection.FULL, view, object, deleted);
    ObjectNode identity = object.deepCopy();
    identity.retain("apiVersion", "kind", "metadata");
    identity.withObject("/metadata").retain("name", "namespace", "uid", "resourceVersion");
    check(SampleProjection.including(), view, identity, deleted);
    ObjectNode some = identity.deepCopy();
    some.set("spec", object.get("spec"));
    check(SampleProjection.including("/spec", "/status/absent"), view, some, deleted);
    ObjectNode managed = identity.deepCopy();
    JsonNode managedFields = object.at("/metadata/managedFields");
    if (!managedFields.at("/a").isMissingNode()) {
      managed.withObject("/metadata").putObject("managedFields").set("a", managedFields.get("a"));
    }
    check(SampleProjection.including("/metadata/managedFields/a"), view, managed, deleted);
    if (!managedFields.isMissingNode()) {
      managed.withObject("/metadata").set("managedFields", managedFields);
    }
    check(SampleProjection.including("/metadata/managedFields"), view, managed, deleted);
    object.withObject("/metadata").remove("managedFields");
    check(ObjectProjection.NO_MANAGED_FIELDS, view, object, deleted);
    object.retain("apiVersion", "kind", "metadata");
    check(ObjectProjection.METADATA, view, object, deleted);
  }

  private static void check(
      ObjectProjection projection, KubeObject view, ObjectNode expected, boolean deleted)
      throws IOException {
    ByteSlices body = deleted ? projection.body(view, "123456789") : projection.body(view);
    assertThat(JACKSON.readTree(body.toByteArray())).as(projection.name()).isEqualTo(expected);
  }

  private static ObjectNode object(Random random) {
    RandomJson json = new RandomJson(random);
    ObjectNode metadata = JACKSON.createObjectNode();
    putFirst(random, metadata, "managedFields", json);
    metadata.put("name", "n");
    putFirst(random, metadata, "annotations", json);
    metadata.put("uid", "u");
    putFirst(random, metadata, "managedFields", json);
    metadata.put("resourceVersion", "" + (1 + random.nextInt(1_000_000)));
    putFirst(random, metadata, "managedFields", json);
    ObjectNode object = json.object(3);
    object.remove("metadata");
    if (random.nextBoolean()) {
      object.put("kind", "Pod").put("apiVersion", "v1");
    }
    object.set("spec", json.value(3));
    object.set("metadata", metadata);
    if (random.nextBoolean()) {
      object.set("status", json.value(3));
    }
    return object;
  }

  private static void putFirst(Random random, ObjectNode node, String name, RandomJson json) {
    if (random.nextInt(3) == 0 && !node.has(name)) {
      node.set(name, json.value(2));
    }
  }
}
