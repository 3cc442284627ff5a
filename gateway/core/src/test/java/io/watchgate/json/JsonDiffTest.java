package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a patch turns one document into the other, with an applier that knows neither. */
final class JsonDiffTest {
  private static final int RUNS = 6_000;
  private static final ObjectMapper JACKSON = new ObjectMapper();

  private static String patch(String before, String after) throws IOException {
    byte[] patch =
        JsonDiff.between(before.getBytes(UTF_8), after.getBytes(UTF_8))
            .orElseThrow(() -> new AssertionError("no patch"));
    assertThat(PatchedTree.of(before.getBytes(UTF_8), patch))
        .isEqualTo(PatchedTree.read(after.getBytes(UTF_8)));
    return new String(patch, UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a":1}                 | {"a":1}                 | []
          {"a":1,"b":2}           | { "b" : 2, "a" : 1 }    | []
          {"a":1}                 | {"a":2}                 | [{"op":"replace","path":"/a","value":2}]
          {"a":1}                 | {"a":1,"b":null}        | [{"op":"add","path":"/b","value":null}]
          {"a":1,"b":null}        | {"a":1}                 | [{"op":"remove","path":"/b"}]
          {"a":null}              | {"a":{}}                | [{"op":"replace","path":"/a","value":{}}]
          {"a":{}}                | {"a":[]}                | [{"op":"replace","path":"/a","value":[]}]
          {"a":9007199254740992}  | {"a":9007199254740993}  | [{"op":"replace","path":"/a","value":9007199254740993}]
          {"a":1}                 | {"a":1.0}               | [{"op":"replace","path":"/a","value":1.0}]
          {"a~/b":1}              | {"a~/b":2}              | [{"op":"replace","path":"/a~0~1b","value":2}]
          {"~1":1}                | {"~1":2}                | [{"op":"replace","path":"/~01","value":2}]
          {"":1}                  | {"":2}                  | [{"op":"replace","path":"/","value":2}]
          {"é":1}                 | {"é":2}                 | [{"op":"replace","path":"/é","value":2}]
          {"\\u003c\\u007e\\/":1} | {"\\u003c~/":2}         | [{"op":"replace","path":"/<~0~1","value":2}]
          {"a\\"\\\\\\n":1,"b":5} | {"a\\"\\\\\\n":2,"b":5} | [{"op":"replace","path":"/a\\"\\\\\\u000a","value":2}]
          {"\\ud834\\udd1e":1}    | {"𝄞":2}                 | [{"op":"replace","path":"/𝄞","value":2}]
          {"a":[1,2,3]}           | {"a":[1,2,3,4]}         | [{"op":"add","path":"/a/3","value":4}]
          {"a":[1,2,3]}           | {"a":[0,1,2,3]}         | [{"op":"add","path":"/a/0","value":0}]
          {"a":[[1],[2],[3]],"b":"0123456789012345678901234567"} | {"a":[[1],[3]],"b":"0123456789012345678901234567"} | [{"op":"remove","path":"/a/1"}]
          {"a":[1]}               | {"a":[]}                | [{"op":"remove","path":"/a/0"}]
          {"a":[1,2]}             | {"a":[2,1]}             | [{"op":"replace","path":"/a","value":[2,1]}]
          """)
  void patch_containsOnlyChanges(String before, String after, String patch) throws IOException {
    assertThat(patch(before, after)).isEqualTo(patch);
  }

  private static byte[] belowLongName(int value) {
    String name = "k".repeat(20_000);
    String members =
        IntStream.range(0, 2_000)
            .mapToObj(i -> "\"a%d\":%d".formatted(i, value))
            .collect(Collectors.joining(","));
    return "{\"spec\":{\"%s\":{%s}},\"list\":[\"x\"]}".formatted(name, members).getBytes(UTF_8);
  }

  /** Each operation repeats the path: all of them would have 40 MB. */
  @Test
  void manyChangesBelowLongName_takeNoMoreMemoryThanTheObject() {
    byte[] before = belowLongName(0);
    byte[] after = belowLongName(1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    byte[] patch = JsonDiff.between(before, after).orElseThrow();

    assertThat(threads.getCurrentThreadAllocatedBytes() - allocated).isLessThan(10L << 20);
    assertThat(patch).hasSizeLessThan(after.length + 100);
  }

  @Test
  void unpairedSurrogate_isEscapedInPath() {
    assertThat(JsonDiff.between(half(1), half(2)))
        .map(patch -> new String(patch, UTF_8))
        .hasValue("[{\"op\":\"replace\",\"path\":\"/\\ud834\",\"value\":2}]");
  }

  private static byte[] half(int value) {
    return "{\"\\ud834\":%d,\"b\":5}".formatted(value).getBytes(UTF_8);
  }

  @Test
  void addedAndRemovedElements_moveNoOthers() throws IOException {
    String before = addresses(0, 20);
    String after = addresses(1, 21).replace("10.0.0.12\"", "10.0.0.99\"");
    assertThat(patch(before, after))
        .isEqualTo(
            """
            [{"op":"remove","path":"/endpoints/0"},\
            {"op":"replace","path":"/endpoints/11/addresses/0","value":"10.0.0.99"},\
            {"op":"add","path":"/endpoints/19","value":{"addresses":["10.0.0.20"]}}]\
            """);
  }

  @Test
  void severalElements_areRemovedLastFirst() throws IOException {
    String before = addresses(0, 20);
    assertThat(patch(before, before.replaceAll("\\{[^{]*0\\.[567]\"]},", "")))
        .isEqualTo(
            """
            [{"op":"remove","path":"/endpoints/7"},\
            {"op":"remove","path":"/endpoints/6"},\
            {"op":"remove","path":"/endpoints/5"}]\
            """);
    assertThat(patch(addresses(0, 38), addresses(5, 40))).contains("remove", "add");
  }

  private static String addresses(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj("{\"addresses\":[\"10.0.0.%d\"]}"::formatted)
        .collect(Collectors.joining(",", "{\"endpoints\":[", "]}"));
  }

  @Test
  void completelyChangedValue_isReplaced() throws IOException {
    String before = "{\"status\":{\"aa\":\"1\",\"bb\":\"2\",\"cc\":\"3\"},\"spec\":7}";
    assertThat(patch(before, before.replaceAll("\"(\\d)\"", "\"$1$1\"")))
        .isEqualTo(
            "[{\"op\":\"replace\",\"path\":\"/status\","
                + "\"value\":{\"aa\":\"11\",\"bb\":\"22\",\"cc\":\"33\"}}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":1,\"\\u0062\":2}}",
        "{\"a\":1",
        "{\"a\" 1}",
        "{\"a\":1}}",
        "[{\"a\":1,\"a\":1}]",
        ""
      })
  void ambiguousDocuments_haveNoPatch(String odd) {
    for (String other : List.of("{\"a\":{\"b\":3}}", "[{}]")) {
      if (odd.startsWith("[") == other.startsWith("[")) {
        assertThat(JsonDiff.between(odd.getBytes(UTF_8), other.getBytes(UTF_8))).isEmpty();
        assertThat(JsonDiff.between(other.getBytes(UTF_8), odd.getBytes(UTF_8))).isEmpty();
      }
    }
  }

  @Test
  void nestingDeeperThan64_hasNoPatch() throws IOException {
    assertThat(patch(nested(64, 1), nested(64, 2))).contains("replace");
    assertThat(JsonDiff.between(nested(65, 1).getBytes(UTF_8), nested(65, 2).getBytes(UTF_8)))
        .isEmpty();
  }

  private static String nested(int depth, int value) {
    return "{\"a\":".repeat(depth) + value + "}".repeat(depth);
  }

  @Test
  void longLists_areComparedWithinBudget() throws IOException {
    String before =
        IntStream.range(0, 20_000)
            .mapToObj("1%06d"::formatted)
            .collect(Collectors.joining(",", "{\"a\":[", "]}"));
    String after = before.replace("[1", "[2").replaceFirst(",\\d+]", ",7,8]");
    assertThat(patch(before, after)).hasSizeLessThan(1_200_000);
  }

  @Test
  void randomChanges_arePatched() {
    int small = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        small += compare(new Random(seed)) ? 1 : 0;
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
    assertThat(small).as("how many are smaller than the object").isGreaterThan(RUNS / 4);
  }

  private static boolean compare(Random random) throws IOException {
    RandomJson json = new RandomJson(random);
    ObjectNode before = json.object(6);
    ObjectNode after = before.deepCopy();
    for (int i = random.nextInt(5); i >= 0; i--) {
      change(random, after, json);
    }
    byte[] old = bytes(random, before);
    byte[] now = bytes(random, after);
    byte[] patch = JsonDiff.between(old, now).orElseThrow(() -> new AssertionError("no patch"));
    assertThat(PatchedTree.of(old, patch))
        .as("%s", new String(patch, UTF_8))
        .isEqualTo(PatchedTree.read(now));
    return patch.length < now.length;
  }

  private static byte[] bytes(Random random, JsonNode tree) throws IOException {
    return random.nextInt(5) == 0
        ? JACKSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree)
        : JACKSON.writeValueAsBytes(tree);
  }

  /** Changes a random value of the tree. */
  private static void change(Random random, JsonNode tree, RandomJson json) {
    JsonNode at = tree;
    while (true) {
      List<JsonNode> inside = new ArrayList<>();
      at.elements()
          .forEachRemaining(
              each -> {
                if (each.isContainerNode()) {
                  inside.add(each);
                }
              });
      if (inside.isEmpty() || random.nextInt(3) == 0) {
        break;
      }
      at = inside.get(random.nextInt(inside.size()));
    }
    if (at instanceof ObjectNode object) {
      ObjectNode other = json.object(3);
      if (random.nextBoolean() && !object.isEmpty()) {
        object.remove(List.copyOf(object.properties()).get(random.nextInt(object.size())).getKey());
      } else {
        object.setAll(other);
      }
    } else if (at instanceof ArrayNode array) {
      int index = random.nextInt(array.size() + 1);
      switch (random.nextInt(3)) {
        case 0 -> array.insert(index, json.value(2));
        case 1 -> array.remove(index);
        default -> {
          if (index < array.size()) {
            array.set(index, json.value(2));
          }
        }
      }
    }
  }
}
