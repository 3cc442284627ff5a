package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the gateway reads in random objects is what Jackson reads in them. */
final class ObjectViewFuzzTest {
  private static final int RUNS = 1_500;
  private static final String[] LABELS = {"app", "a", "app.kubernetes.io/name", "é", "\"", ""};
  private static final FieldPaths PATHS = FieldPaths.of(List.of("spec.a"));
  private static final ObjectMapper JACKSON = new ObjectMapper();

  @Test
  void anyObjectIsReadAsJacksonReadsIt() throws Exception {
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        compare(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  @Test
  void anObjectThatIsCutAnywhereIsRefused() throws IOException {
    for (long seed = 0; seed < 30; seed++) {
      byte[] whole = JACKSON.writeValueAsBytes(object(new Random(seed)));
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThat(readable(cut)).as("seed %d, %d bytes", seed, length).isFalse();
      }
    }
  }

  private static boolean readable(byte[] json) {
    try {
      var _ = ObjectView.read(json, FieldPaths.NONE);
      return true;
    } catch (JsonException e) {
      return false;
    }
  }

  private static ObjectNode object(Random random) {
    RandomJson json = new RandomJson(random);
    ObjectNode metadata = JACKSON.createObjectNode();
    if (random.nextInt(4) == 0) {
      metadata.putArray("managedFields").add(json.value(3));
    }
    metadata.setAll(json.object(2));
    metadata.remove("items");
    metadata.put("name", "n" + random.nextInt(100));
    if (random.nextBoolean()) {
      metadata.put("namespace", "ns-" + random.nextInt(100));
    }
    metadata.put("uid", "u" + random.nextInt(100));
    metadata.put("resourceVersion", "" + (1 + random.nextInt(1_000_000)));
    if (random.nextBoolean()) {
      ObjectNode labels = metadata.putObject("labels");
      for (int i = random.nextInt(4); i > 0; i--) {
        labels.put(LABELS[random.nextInt(LABELS.length)], json.string());
      }
    }
    if (random.nextBoolean()) {
      metadata.putArray("managedFields").add(json.value(3));
    }
    if (random.nextBoolean()) {
      metadata.set("a-later-one", json.value(2));
    }
    ObjectNode object = json.object(3);
    object.set("metadata", metadata);
    object.set("spec", json.value(3));
    return object;
  }

  private static void compare(Random random) throws IOException, JsonException {
    ObjectNode object = object(random);
    byte[] bytes =
        random.nextBoolean()
            ? JACKSON.writeValueAsBytes(object)
            : JACKSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(object);

    ObjectView view = ObjectView.read(bytes, PATHS);

    JsonNode metadata = object.get("metadata");
    String namespace = metadata.path("namespace").asText("");
    String name = metadata.get("name").asText();
    assertThat(view.namespace()).isEqualTo(namespace);
    assertThat(view.name()).isEqualTo(name);
    assertThat(new String(view.key(), UTF_8))
        .isEqualTo(namespace.isEmpty() ? name : namespace + "/" + name);
    assertThat(view.uid()).isEqualTo(metadata.get("uid").asText());
    assertThat(view.resourceVersion()).isEqualTo(metadata.get("resourceVersion").asText());
    for (String label : LABELS) {
      assertThat(view.label(label)).as(label).isEqualTo(text(metadata.path("labels").get(label)));
    }
    assertThat(view.bytes()).isSameAs(bytes);
    compareWithoutManagedFields(view, object);
    compareDropped(view);
    JsonNode field = object.path("spec").get("a");
    if (field != null && field.isTextual()) {
      assertThat(view.field(0)).isEqualTo(field.asText());
    } else if (field == null) {
      assertThat(view.field(0)).isNull();
    }
  }

  /** Dropped as it is read: the same bytes but those, and everything else is found in them. */
  private static void compareDropped(ObjectView view) throws JsonException {
    byte[] bytes = view.bytes();
    byte[] rest = new byte[bytes.length - (view.managedFieldsTo() - view.managedFieldsFrom())];
    System.arraycopy(bytes, 0, rest, 0, view.managedFieldsFrom());
    System.arraycopy(
        bytes,
        view.managedFieldsTo(),
        rest,
        view.managedFieldsFrom(),
        bytes.length - view.managedFieldsTo());

    ObjectView dropped = ObjectView.read(bytes, PATHS.withoutManagedFields());

    ObjectView anew = ObjectView.read(rest, PATHS);
    assertThat(dropped.bytes()).isEqualTo(rest);
    assertThat(dropped.managedFieldsFrom()).isEqualTo(dropped.managedFieldsTo());
    assertThat(dropped.key()).isEqualTo(view.key());
    assertThat(dropped.uid()).isEqualTo(view.uid());
    assertThat(dropped.sameStateAs(view)).isTrue();
    assertThat(dropped.versionFrom()).isEqualTo(anew.versionFrom());
    assertThat(dropped.versionTo()).isEqualTo(anew.versionTo());
    assertThat(dropped.metadataFrom()).isEqualTo(anew.metadataFrom());
    assertThat(dropped.metadataTo()).isEqualTo(anew.metadataTo());
    assertThat(dropped.field(0)).isEqualTo(view.field(0));
    assertThat(dropped.retainedBytes()).isEqualTo(anew.retainedBytes());
    for (String label : LABELS) {
      assertThat(dropped.label(label)).as(label).isEqualTo(view.label(label));
    }
  }

  /** Without the bytes between the marks it is the same JSON, but for that one field. */
  private static void compareWithoutManagedFields(ObjectView view, ObjectNode object)
      throws IOException {
    byte[] bytes = view.bytes();
    String rest =
        new String(bytes, 0, view.managedFieldsFrom(), UTF_8)
            + new String(
                bytes, view.managedFieldsTo(), bytes.length - view.managedFieldsTo(), UTF_8);
    ObjectNode expected = (ObjectNode) JACKSON.readTree(bytes);
    ((ObjectNode) expected.get("metadata")).remove("managedFields");
    assertThat(JACKSON.readTree(rest)).isEqualTo(expected);
    assertThat(new String(bytes, view.versionFrom(), view.versionTo() - view.versionFrom(), UTF_8))
        .isEqualTo(object.get("metadata").get("resourceVersion").asText());
  }

  private static @Nullable String text(@Nullable JsonNode node) {
    return node == null ? null : node.asText();
  }
}
