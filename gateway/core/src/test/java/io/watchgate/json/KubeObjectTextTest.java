package io.watchgate.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that comparing with an object's bytes is the same as comparing with its decoded text. */
class KubeObjectTextTest {
  private static final FieldPaths PATHS = FieldPaths.of(List.of("spec.x"));

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static KubeObject read(String metadata, String spec) throws JsonException {
    return KubeObject.read(
        utf8(
            "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\"%s},\"spec\":{%s}}"
                .formatted(metadata, spec)),
        PATHS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "red"                  | red
          ""                     | ``
          "\\u003cb\\u003e"      | <b>
          "\\u003c"              | <
          "\\\\u003c"            | \\u003c
          "\\\\"                 | \\
          "\\""                  | "
          "\\ud83d\\ude00"       | 😀
          "é"                    | é
          "\\u00e9"              | é
          true                   | true
          -12                    | -12
          9007199254740993       | 9007199254740993
          """)
  void field_equalsItsTextOnly(String json, String text) throws JsonException {
    KubeObject view = read("", "\"x\":" + json);
    assertThat(view.field(0)).isEqualTo(text);
    assertThat(view.hasField(0)).isTrue();
    assertThat(view.fieldIs(0, utf8(text))).isTrue();
    for (String other : List.of(text + "x", "x" + text, text.isEmpty() ? "y" : text.substring(1))) {
      assertThat(view.fieldIs(0, utf8(other))).as(other).isFalse();
    }
    String raw = json.startsWith("\"") ? json.substring(1, json.length() - 1) : json;
    assertThat(view.fieldIs(0, utf8(raw))).isEqualTo(raw.equals(text));
  }

  @Test
  void absentField_equalsNothing() throws JsonException {
    for (String spec : List.of("", "\"x\":null", "\"x\":{}", "\"x\":[\"\"]", "\"y\":\"\"")) {
      KubeObject view = read("", spec);
      assertThat(view.hasField(0)).isFalse();
      assertThat(view.fieldIs(0, utf8(""))).isFalse();
      assertThat(view.field(0)).isNull();
    }
  }

  @Test
  void labels_areFoundByCompleteName() throws JsonException {
    KubeObject view =
        read(
            ",\"labels\": { \"ab\":\"1\",\n"
                + "\"\\u0061\" : \"a\\u002db\", \"c\":\"\",\"a\\\"b\":\"q\"}",
            "");
    assertThat(view.label("ab")).isEqualTo("1");
    assertThat(view.label("a")).isEqualTo("a-b");
    assertThat(view.label("c")).isEmpty();
    assertThat(view.label("a\"b")).isEqualTo("q");
    for (String absent : List.of("", "b", "abc", "1", "\\u0061")) {
      assertThat(view.labelOffset(utf8(absent))).as(absent).isNegative();
      assertThat(view.label(absent)).as(absent).isNull();
    }
    assertThat(view.labelIs(view.labelOffset(utf8("ab")), utf8("1"))).isTrue();
    assertThat(view.labelIs(view.labelOffset(utf8("ab")), utf8("12"))).isFalse();
    assertThat(view.labelIs(view.labelOffset(utf8("a")), utf8("a-b"))).isTrue();
    assertThat(view.labelIs(view.labelOffset(utf8("c")), utf8(""))).isTrue();
  }

  /** Around the size from which an index finds the labels. */
  @ParameterizedTest
  @ValueSource(ints = {20, 40, 80, 160, 70_000})
  void manyLabels_eachIsFoundByName(int count) throws JsonException {
    StringBuilder labels = new StringBuilder("\"a\\u002fb\":\"escaped\", \"same\":\"first\"");
    for (int i = 0; i < count; i++) {
      labels.append(i % 2 == 0 ? "," : " , ");
      labels.append("\"example.com/l%d\" : \"v%d\"".formatted(i, i));
    }
    labels.append(",\"same\":\"second\",\"last\":\"\"");
    KubeObject view = read(",\"labels\":{" + labels + "}", "");
    for (int i = 0; i < count; i++) {
      assertThat(view.label("example.com/l" + i)).isEqualTo("v" + i);
    }
    assertThat(view.label("a/b")).isEqualTo("escaped");
    assertThat(view.label("same")).isEqualTo("first");
    assertThat(view.label("last")).isEmpty();
    for (String absent : List.of("", "v1", "example.com/l", "example.com/l" + count, "a\\u002fb")) {
      assertThat(view.labelOffset(utf8(absent))).as(absent).isNegative();
    }
  }

  @Test
  void withoutLabels_noneIsFound() throws JsonException {
    for (String labels : List.of("", ",\"labels\":null", ",\"labels\":{}", ",\"labels\": { }")) {
      assertThat(read(labels, "").labelOffset(utf8("a"))).isNegative();
    }
  }

  @Test
  void nameAndNamespace_areComparedCompletely() throws JsonException {
    KubeObject inside = read(",\"namespace\":\"ns\"", "");
    assertThat(inside.nameIs(utf8("n"))).isTrue();
    assertThat(inside.nameIs(utf8("ns/n"))).isFalse();
    assertThat(inside.nameIs(utf8(""))).isFalse();
    assertThat(inside.namespaceIs(utf8("ns"))).isTrue();
    assertThat(inside.namespaceIs(utf8("n"))).isFalse();
    assertThat(inside.namespaceIs(utf8(""))).isFalse();
    KubeObject cluster = read("", "");
    assertThat(cluster.nameIs(utf8("n"))).isTrue();
    assertThat(cluster.namespaceIs(utf8(""))).isTrue();
    assertThat(cluster.namespaceIs(utf8("n"))).isFalse();
  }
}
