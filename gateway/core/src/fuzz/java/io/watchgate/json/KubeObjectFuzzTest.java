package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that the gateway reads the same in objects as Jackson. */
final class KubeObjectFuzzTest {
  private static final int RUNS = 1_500;
  private static final String[] LABELS = {"app", "a", "app.kubernetes.io/name", "é", "\"", ""};
  private static final List<String> FIELDS = List.of("spec.a", "type", "metadata.bb");
  private static final FieldPaths PATHS = FieldPaths.of(FIELDS);
  private static final ObjectMapper JACKSON = new ObjectMapper();

  @Test
  void randomObjects_equalJacksonsResult() {
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        compare(bytes(new Random(seed)));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
  }

  @Test
  void truncatedObject_isRefused() throws IOException {
    for (long seed = 0; seed < 30; seed++) {
      byte[] whole = JACKSON.writeValueAsBytes(object(new Random(seed)));
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThat(readable(cut)).as("seed %d, %d bytes", seed, length).isFalse();
      }
    }
  }

  @FuzzTest
  void anyBytesThatJacksonReadsAreReadAsJacksonReadsThem(byte[] json) throws IOException {
    compare(json);
  }

  private static boolean readable(byte[] json) {
    try {
      var _ = KubeObject.read(json, FieldPaths.NONE);
      return true;
    } catch (JsonException e) {
      return false;
    }
  }

  private static byte[] bytes(Random random) throws IOException {
    ObjectNode object = object(random);
    return random.nextBoolean()
        ? JACKSON.writeValueAsBytes(object)
        : JACKSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(object);
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

  /**
   * Checks that an object that is a Kubernetes object for Jackson is read, with the same content.
   */
  private static void compare(byte[] bytes) throws IOException {
    JsonNode tree = StrictJson.read(bytes);
    boolean ofKubernetes = tree != null && bytes[0] == '{' && isObject(tree);
    KubeObject view;
    try {
      view = KubeObject.read(bytes, PATHS);
    } catch (JsonException e) {
      assertThat(ofKubernetes).as("%s", e).isFalse();
      return;
    }
    askEverything(view);
    assertThat(new String(bytes, UTF_8)).matches("(?s).*}[ \n\r\t]*");
    if (tree == null || !ofKubernetes) {
      return;
    }
    JsonNode metadata = tree.get("metadata");
    String namespace = metadata.path("namespace").asText("");
    String name = metadata.get("name").asText();
    assertThat(view.namespace()).isEqualTo(namespace);
    assertThat(view.name()).isEqualTo(name);
    assertThat(new String(view.key(), UTF_8))
        .isEqualTo(namespace.isEmpty() ? name : namespace + "/" + name);
    assertThat(view.uid()).isEqualTo(metadata.get("uid").asText());
    assertThat(view.resourceVersion()).isEqualTo(metadata.get("resourceVersion").asText());
    compareLabels(view, metadata.path("labels"));
    assertThat(view.bytes()).isSameAs(bytes);
    compareWithoutManagedFields(view, tree);
    compareDropped(view);
    for (int i = 0; i < FIELDS.size(); i++) {
      compareField(view, i, tree.at("/" + FIELDS.get(i).replace('.', '/')));
    }
  }

  /**
   * Returns whether the object fulfils the assumptions of the cache: identifying fields are text
   * without a slash, and labels are text.
   */
  private static boolean isObject(JsonNode tree) {
    JsonNode metadata = tree.path("metadata");
    JsonNode namespace = metadata.path("namespace");
    JsonNode labels = metadata.path("labels");
    for (JsonNode label : labels) {
      if (!label.isTextual()) {
        return false;
      }
    }
    return isPlain(metadata.path("name"))
        && isPlain(metadata.path("uid"))
        && isPlain(metadata.path("resourceVersion"))
        && (namespace.isMissingNode() || isPlain(namespace))
        && (labels.isObject() || labels.isMissingNode() || labels.isNull());
  }

  private static boolean isPlain(JsonNode node) {
    return node.isTextual() && node.textValue().chars().allMatch(c -> c < 0x7f && c != '/');
  }

  private static void compareLabels(KubeObject view, JsonNode labels) {
    for (var label : labels.properties()) {
      String text = label.getValue().textValue();
      assertThat(view.label(label.getKey())).as(label.getKey()).isEqualTo(text);
      assertThat(view.labelIs(view.labelOffset(utf8(label.getKey())), utf8(text))).isTrue();
    }
    for (String label : LABELS) {
      assertThat(view.label(label)).as(label).isEqualTo(text(labels.get(label)));
    }
    int count = 0;
    for (int at = view.firstLabel(); at >= 0; at = view.nextLabel(at)) {
      count++;
    }
    assertThat(count).isEqualTo(labels.size());
  }

  /** Encodes text; half of a surrogate pair becomes U+FFFD, as in Go. */
  private static byte[] utf8(String text) {
    return text.replaceAll("[\\ud800-\\udfff]", "\ufffd").getBytes(UTF_8);
  }

  private static void compareField(KubeObject view, int number, JsonNode value) {
    assertThat(view.hasField(number)).isEqualTo(value.isValueNode() && !value.isNull());
    String field = view.field(number);
    if (field == null) {
      return;
    }
    assertThat(view.fieldIs(number, utf8(field))).isTrue();
    if (value.isNumber()) {
      assertThat(new BigDecimal(field)).isEqualByComparingTo(value.decimalValue());
    } else {
      assertThat(field).isEqualTo(value.asText());
    }
  }

  /** Calls all queries, which must work on every object that was read. */
  private static void askEverything(KubeObject view) {
    assertThat(view.toString()).startsWith(new String(view.key(), UTF_8));
    assertThat(view.hasSameStateAs(view) && view.hasSameLabelsAs(view)).isTrue();
    assertThat(view.fingerprintAfter(view)).isEqualTo(view.fingerprint());
    for (int at = view.firstLabel(); at >= 0; at = view.nextLabel(at)) {
      byte[] name = view.findByLabel(at, Arrays::copyOfRange);
      byte[] value = view.findByLabel(view.valueOf(at), Arrays::copyOfRange);
      assertThat(name != null && value != null).isTrue();
    }
    assertThat(view.label("no such label")).isNull();
    for (int i = 0; i < FIELDS.size(); i++) {
      assertThat(view.field(i) != null).isEqualTo(view.hasField(i));
    }
    assertThat(view.managedFieldsFrom()).isLessThanOrEqualTo(view.managedFieldsTo());
  }

  /**
   * Checks an object without managedFields: only their bytes are missing, and all parts are found.
   */
  private static void compareDropped(KubeObject view) {
    byte[] bytes = view.bytes();
    byte[] rest = new byte[bytes.length - (view.managedFieldsTo() - view.managedFieldsFrom())];
    System.arraycopy(bytes, 0, rest, 0, view.managedFieldsFrom());
    System.arraycopy(
        bytes,
        view.managedFieldsTo(),
        rest,
        view.managedFieldsFrom(),
        bytes.length - view.managedFieldsTo());

    KubeObject dropped = read(bytes, PATHS.withoutManagedFields());

    KubeObject reread = read(rest, PATHS);
    assertThat(dropped.bytes()).isEqualTo(rest);
    assertThat(dropped.managedFieldsFrom()).isEqualTo(dropped.managedFieldsTo());
    assertThat(dropped.key()).isEqualTo(view.key());
    assertThat(dropped.uid()).isEqualTo(view.uid());
    assertThat(dropped.hasSameStateAs(view)).isTrue();
    assertThat(dropped.versionFrom()).isEqualTo(reread.versionFrom());
    assertThat(dropped.versionTo()).isEqualTo(reread.versionTo());
    assertThat(dropped.metadataFrom()).isEqualTo(reread.metadataFrom());
    assertThat(dropped.metadataTo()).isEqualTo(reread.metadataTo());
    for (int i = 0; i < FIELDS.size(); i++) {
      assertThat(dropped.field(i)).isEqualTo(view.field(i));
    }
    assertThat(dropped.retainedBytes()).isEqualTo(reread.retainedBytes());
    for (String label : LABELS) {
      assertThat(dropped.label(label)).as(label).isEqualTo(view.label(label));
    }
  }

  private static KubeObject read(byte[] json, FieldPaths paths) {
    try {
      return KubeObject.read(json, paths);
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks that the bytes without managedFields are the same JSON without that field. */
  private static void compareWithoutManagedFields(KubeObject view, JsonNode object) {
    byte[] bytes = view.bytes();
    String rest =
        new String(bytes, 0, view.managedFieldsFrom(), UTF_8)
            + new String(
                bytes, view.managedFieldsTo(), bytes.length - view.managedFieldsTo(), UTF_8);
    ObjectNode expected = object.deepCopy();
    ((ObjectNode) expected.get("metadata")).remove("managedFields");
    assertThat(StrictJson.read(utf8(rest))).isEqualTo(expected);
    String version =
        new String(bytes, view.versionFrom(), view.versionTo() - view.versionFrom(), UTF_8);
    assertThat(StrictJson.read(utf8("\"" + version + "\"")))
        .isEqualTo(object.get("metadata").get("resourceVersion"));
  }

  private static @Nullable String text(@Nullable JsonNode node) {
    return node == null ? null : node.asText();
  }
}
