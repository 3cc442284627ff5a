package io.watchgate.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of selected parts of an object, one by one and against Jackson's trees. */
final class PointerMaskTest {
  private static final int RUNS = 3_000;
  private static final ObjectMapper JACKSON = new ObjectMapper();

  private static String parts(String object, String... pointers) throws JsonException {
    List<JsonPointer> parsed = new ArrayList<>();
    for (String pointer : pointers) {
      parsed.add(JsonPointer.parse(pointer));
    }
    return new String(parts(object.getBytes(UTF_8), parsed), UTF_8);
  }

  private static byte[] parts(byte[] object, List<JsonPointer> pointers) throws JsonException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new PointerMaskWriter(
            object,
            new PointerMask.Sink() {
              @Override
              public void piece(int from, int to) {
                out.write(object, from, to - from);
              }

              @Override
              public void insertion(byte[] bytes, int from, int to) {
                out.write(bytes, from, to - from);
              }
            })
        .write(PointerMask.of(pointers));
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a":1,"b":2,"c":3}                    | /a         | {"a":1}
          {"a":1,"b":2,"c":3}                    | /b         | {"b":2}
          {"a":1,"b":2,"c":3}                    | /c         | {"c":3}
          {"a":1,"b":2,"c":3}                    | /c /a      | {"a":1,"c":3}
          {"a":1,"b":2,"c":3}                    | /c /b      | {"b":2,"c":3}
          {"a":1,"b":2,"c":3}                    | /d         | {}
          {}                                     | /a         | {}
          {"a":{"b":{"c":1},"d":2},"e":3}        | /a/b/c /e  | {"a":{"b":{"c":1}},"e":3}
          {"a":{"b":{"c":1},"d":2},"e":3}        | /a/b/x /e  | {"e":3}
          {"a":{"b":{"c":1},"d":2},"e":3}        | /a/b/x /a/d | {"a":{"d":2}}
          {"a":{"b":null}}                       | /a/b       | {"a":{"b":null}}
          {"a":null,"b":"","c":[1]}              | /a/x /b/x /c/x | {}
          {"a":{"b":1,"c":2}}                    | /a /a/b    | {"a":{"b":1,"c":2}}
          {"a":{"b":1,"bb":2}}                   | /a/bb      | {"a":{"bb":2}}
          {"a":[10,11,12]}                       | /a/0       | {"a":[10]}
          {"a":[10,11,12]}                       | /a/1       | {"a":[null,11]}
          {"a":[10,11,12]}                       | /a/0 /a/2  | {"a":[10,null,12]}
          {"a":[10,11,12]}                       | /a/1 /a/2  | {"a":[null,11,12]}
          {"a":[10,11,12]}                       | /a/3       | {}
          {"a":[10,11,12]}                       | /a/- /a/01 /a/+1 /a/1.0 /a/9999999999 | {}
          {"a":{"0":1,"-":2,"01":3}}             | /a/0 /a/- /a/01 | {"a":{"0":1,"-":2,"01":3}}
          {"a":[{"b":1},{"c":2},{"b":3,"c":4}]}  | /a/2/b /a/1/b | {"a":[null,null,{"b":3}]}
          {"a":[{"b":1},{"c":2},{"b":3,"c":4}]}  | /a/0/b /a/2/b | {"a":[{"b":1},null,{"b":3}]}
          {"a":[[1,2],[3,4]],"z":0}              | /a/1/1 /z  | {"a":[null,[null,4]],"z":0}
          { "a" : 1 , "b" : { "c" : 2 , "d" : 3 } } | /b/d    | {"b" : {"d" : 3}}
          {"\\u0061":1,"\\u003c":2,"a~/":3}      | /a /< /a~0~1 | {"\\u0061":1,"\\u003c":2,"a~/":3}
          {"é":{"𝄞":1,"x":2}}                    | /é/𝄞       | {"é":{"𝄞":1}}
          {"a":"}{\\"","b":"/a"}                 | /b         | {"b":"/a"}
          {"":{"":1,"x":2}}                      | //         | {"":{"":1}}
          """)
  void parts_keepTheirPosition(String object, String pointers, String expected)
      throws JsonException {
    assertThat(parts(object, pointers.split(" "))).isEqualTo(expected);
  }

  @Test
  void elementsBeforeSelectedOne_areNull() throws JsonException {
    String many = "[" + "7,".repeat(1_000) + "8]";
    assertThat(parts("{\"a\":" + many + "}", "/a/1000"))
        .isEqualTo("{\"a\":[" + "null,".repeat(1_000) + "8]}");
  }

  @Test
  void bytesAfterLastPart_areNotScanned() throws JsonException {
    assertThat(parts("{\"a\":{\"b\":1,!!!", "/a/b")).isEqualTo("{\"a\":{\"b\":1}}");
    assertThatThrownBy(() -> parts("{\"a\":{\"c\":1,!!!", "/a/b"))
        .isInstanceOf(JsonException.class);
  }

  @Test
  void pointers_areSortedWithoutRedundantOnes() throws JsonException {
    List<JsonPointer> given = new ArrayList<>();
    for (String text : List.of("/b/c", "/a", "/b", "/a/0", "/a", "/a!/x", "/ab")) {
      given.add(JsonPointer.parse(text));
    }
    assertThat(PointerMask.of(given).pointers())
        .extracting(JsonPointer::text)
        .containsExactly("/a", "/a!/x", "/ab", "/b");
  }

  @Test
  void randomParts_equalJacksonsResult() throws Exception {
    int found = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        found += compare(new Random(seed));
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
    assertThat(found).isGreaterThan(RUNS);
  }

  private static int compare(Random random) throws Exception {
    ObjectNode object = new RandomJson(random).object(5);
    List<JsonPointer> pointers = new ArrayList<>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      pointers.add(pointer(random, object));
    }
    byte[] bytes =
        random.nextBoolean()
            ? JACKSON.writeValueAsBytes(object)
            : JACKSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(object);
    JsonNode expected = JACKSON.createObjectNode();
    int found = 0;
    for (JsonPointer pointer : pointers) {
      JsonNode part = object.at(pointer.text());
      if (!part.isMissingNode()) {
        expected = with(expected, object, pointer.names());
        found++;
      }
    }
    byte[] chosen = parts(bytes, pointers);
    assertThat(JACKSON.readTree(chosen))
        .as("%s", pointers)
        .isEqualTo(JACKSON.readTree(JACKSON.writeValueAsBytes(expected)));
    return found;
  }

  /** Returns a pointer, mostly to an existing value. */
  private static JsonPointer pointer(Random random, JsonNode top) {
    List<String> names = new ArrayList<>();
    JsonNode at = top;
    do {
      if (at instanceof ObjectNode object && !object.isEmpty()) {
        List<String> members = new ArrayList<>();
        object.fieldNames().forEachRemaining(members::add);
        names.add(members.get(random.nextInt(members.size())));
        at = object.get(names.getLast());
      } else if (at instanceof ArrayNode array && !array.isEmpty()) {
        int index = random.nextInt(array.size());
        names.add("" + index);
        at = array.get(index);
      } else {
        names.add(random.nextBoolean() ? "0" : "a");
        break;
      }
    } while (random.nextInt(3) > 0);
    return new JsonPointer(names);
  }

  /**
   * Returns the tree with the value of {@code from} at the end of these names, in the same
   * position.
   */
  private static JsonNode with(JsonNode tree, JsonNode from, List<String> names) {
    if (names.isEmpty()) {
      return from;
    }
    String name = names.getFirst();
    List<String> rest = names.subList(1, names.size());
    if (from instanceof ArrayNode array) {
      int index = Integer.parseInt(name);
      ArrayNode copy =
          tree instanceof ArrayNode before ? before.deepCopy() : JACKSON.createArrayNode();
      while (copy.size() <= index) {
        copy.addNull();
      }
      copy.set(index, with(copy.get(index), array.get(index), rest));
      return copy;
    }
    ObjectNode copy =
        tree instanceof ObjectNode before ? before.deepCopy() : JACKSON.createObjectNode();
    copy.set(name, with(copy.path(name), from.get(name), rest));
    return copy;
  }
}
