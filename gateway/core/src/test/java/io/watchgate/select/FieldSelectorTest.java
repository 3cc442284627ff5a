package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import io.watchgate.select.FieldRequirement.Operator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldSelectorTest {
  private static final Recorded RECORDED = new Recorded();
  private static final SelectableFields WIDGETS = RECORDED.type("widgets.example.com");
  private static final SelectableFields PODS = RECORDED.type("pods");
  private static final List<String> TEXTS =
      List.of(
          "",
          "red",
          "Red",
          "true",
          "7",
          "<b>&",
          "a,b=c\\d",
          "\\u003c",
          "\u2028",
          "é",
          "e\u0301",
          "\ud83d\ude00",
          "\t\n\r\b\f",
          "\"",
          "/",
          "\u0000",
          "null",
          "\ufffd",
          "red ");

  private static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void selectsLikeNaiveModel(long seed) throws SelectionException {
    Random random = new Random(seed);
    RandomObject objects = new RandomObject(random);
    int matched = 0;
    int rounds = 5_000;
    for (int round = 0; round < rounds; round++) {
      // Value of each field, and its JSON in the object; null and absence read as "".
      Map<String, String> values = new TreeMap<>();
      Map<String, String> spec = new TreeMap<>();
      if (random.nextInt(4) > 0) {
        String color = pick(TEXTS, random);
        values.put("spec.color", color);
        spec.put("color", objects.string(color));
      }
      if (random.nextBoolean()) {
        String count = String.valueOf(random.nextInt(10) - 2);
        values.put("spec.count", count);
        spec.put("count", count);
      } else if (random.nextBoolean()) {
        spec.put("count", "null");
      }
      if (random.nextBoolean()) {
        String on = String.valueOf(random.nextBoolean());
        values.put("spec.on", on);
        spec.put("on", on);
      }
      values.put("metadata.name", pick(List.of("red", "red-7"), random));
      values.put("metadata.namespace", pick(List.of("red", "red-7"), random));
      KubeObject view =
          objects.widget(
              values.get("metadata.namespace"),
              values.get("metadata.name"),
              Map.of(),
              spec,
              WIDGETS.paths());

      List<String> parts = new ArrayList<>();
      boolean expected = true;
      for (int i = random.nextInt(3); i >= 0; i--) {
        String field = pick(WIDGETS.names(), random);
        String is = values.getOrDefault(field, "");
        String value = random.nextBoolean() ? is : pick(TEXTS, random);
        String operator = pick(List.of("=", "==", "!="), random);
        parts.add(field + operator + escaped(value));
        expected &= is.equals(value) != operator.equals("!=");
        assertThat(WIDGETS.value(view, field)).isEqualTo(is);
      }
      String text = String.join(",", parts);
      FieldSelector selector = FieldSelector.parse(text, WIDGETS);
      assertThat(selector.matches(view)).as("%s on %s", text, values).isEqualTo(expected);
      matched += expected ? 1 : 0;

      parts.add(pick(parts, random));
      Collections.shuffle(parts, random);
      assertThat(FieldSelector.parse(String.join(",,", parts) + ",", WIDGETS))
          .isEqualTo(selector)
          .hasSameHashCodeAs(selector);
      assertThat(FieldSelector.parse(selector.canonical(), WIDGETS)).isEqualTo(selector);
    }
    assertThat(matched).isBetween(rounds / 10, rounds * 9 / 10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          ``                                    | ``
          ,,                                    | ``
          spec.host=n,spec.nodeName==n          | spec.nodeName=n
          status.phase!=Running,metadata.name=a | metadata.name=a,status.phase!=Running
          metadata.name=a\\,b\\=c\\\\d          | metadata.name=a\\,b\\=c\\\\d
          metadata.name=                        | metadata.name=
          """)
  void hasOneCanonicalText(String text, String canonical) throws SelectionException {
    assertThat(FieldSelector.parse(text, PODS).canonical()).isEqualTo(canonical);
  }

  @Test
  void returnsItsRequirements() throws SelectionException {
    assertThat(FieldSelector.parse("status.phase!=a\\=b,spec.host=n", PODS).requirements())
        .containsExactly(
            new FieldRequirement("spec.nodeName", Operator.EQUAL, "n"),
            new FieldRequirement("status.phase", Operator.NOT_EQUAL, "a=b"));
  }
}
