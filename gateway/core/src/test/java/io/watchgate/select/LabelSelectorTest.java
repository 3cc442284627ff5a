package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.labels.LabelRequirement;
import io.watchgate.labels.LabelRequirement.Operator;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {
  private static final List<String> KEYS =
      List.of("a", "b", "in", "notin", "example.com/a", "example.com/ab");
  private static final List<String> VALUES =
      List.of(
          "",
          "1",
          "2",
          "10",
          "010",
          "x",
          "X",
          "in",
          "9223372036854775808",
          "9223372036854775807",
          "18446744073709551621");

  /** Requirement by the documented meaning. */
  private record Wanted(String key, String operator, List<String> values) {

    static Wanted random(Random random) {
      String key = pick(KEYS, random);
      return switch (random.nextInt(9)) {
        case 0 -> new Wanted(key, "=", List.of(pick(VALUES, random)));
        case 1 -> new Wanted(key, "==", List.of(pick(VALUES, random)));
        case 2 -> new Wanted(key, "!=", List.of(pick(VALUES, random)));
        case 3, 4 -> new Wanted(key, "in", some(random));
        case 5 -> new Wanted(key, "notin", some(random));
        case 6 -> new Wanted(key, random.nextBoolean() ? ">" : "<", List.of(bound(random)));
        case 7 -> new Wanted(key, "!", List.of());
        default -> new Wanted(key, "", List.of());
      };
    }

    private static List<String> some(Random random) {
      return IntStream.rangeClosed(0, random.nextInt(4))
          .mapToObj(i -> pick(VALUES, random))
          .toList();
    }

    private static String bound(Random random) {
      return pick(List.of("0", "1", "2", "09", "11", "9223372036854775807"), random);
    }

    String text(Random random) {
      String space = random.nextInt(3) == 0 ? " \t" : "";
      return space
          + switch (operator) {
            case "!" -> "!" + space + key;
            case "" -> key;
            case "in", "notin" ->
                key + " " + operator + space + "(" + String.join("," + space, values) + ")";
            default -> key + space + operator + space + values.get(0);
          }
          + space;
    }

    boolean matches(Map<String, String> labels) {
      String value = labels.get(key);
      return switch (operator) {
        case "=", "==", "in" -> value != null && values.contains(value);
        case "!=", "notin" -> value == null || !values.contains(value);
        case ">" -> number(value) && Long.parseLong(value) > Long.parseLong(values.get(0));
        case "<" -> number(value) && Long.parseLong(value) < Long.parseLong(values.get(0));
        case "!" -> value == null;
        default -> value != null;
      };
    }

    private static boolean number(@Nullable String value) {
      return value != null
          && value.matches("[0-9]+")
          && new BigInteger(value).compareTo(BigInteger.valueOf(Long.MAX_VALUE)) <= 0;
    }
  }

  private static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  private static String text(List<Wanted> wanted, Random random) {
    return String.join(",", wanted.stream().map(one -> one.text(random)).toList());
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void selectsLikeNaiveModel(long seed) throws SelectionException {
    Random random = new Random(seed);
    RandomObject objects = new RandomObject(random);
    int matched = 0;
    int rounds = 5_000;
    for (int round = 0; round < rounds; round++) {
      Map<String, String> labels = new TreeMap<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        labels.put(pick(KEYS, random), pick(VALUES, random));
      }
      KubeObject view = objects.widget("ns", "n", labels, Map.of(), FieldPaths.NONE);
      List<Wanted> wanted = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        wanted.add(Wanted.random(random));
      }
      String text = text(wanted, random);
      boolean expected = wanted.stream().allMatch(one -> one.matches(labels));
      assertThat(LabelSelector.parse(text).matches(view))
          .as("%s on %s", text, labels)
          .isEqualTo(expected);
      matched += expected ? 1 : 0;
    }
    assertThat(matched).isBetween(rounds / 10, rounds * 9 / 10);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {5, 6})
  void orderRepetitionAndSpelling_areIgnored(long seed) throws SelectionException {
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      List<Wanted> wanted = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        wanted.add(Wanted.random(random));
      }
      LabelSelector one = LabelSelector.parse(text(wanted, random));
      wanted.add(pick(wanted, random));
      Collections.shuffle(wanted, random);
      String text = text(wanted.stream().map(part -> respelled(part, random)).toList(), random);
      LabelSelector other = LabelSelector.parse(text);
      assertThat(other).as(text).isEqualTo(one).hasSameHashCodeAs(one);
      assertThat(other.requirements()).as(text).isEqualTo(one.requirements());
    }
  }

  private static Wanted respelled(Wanted part, Random random) {
    List<String> values = new ArrayList<>(part.values);
    Collections.shuffle(values, random);
    return switch (part.operator) {
      case "=" -> new Wanted(part.key, random.nextBoolean() ? "==" : "in", values);
      case "==" -> new Wanted(part.key, random.nextBoolean() ? "=" : "in", values);
      case "!=" -> new Wanted(part.key, "notin", values);
      case "in", "notin" -> {
        values.add(values.get(0));
        yield new Wanted(part.key, part.operator, values);
      }
      default -> part;
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          ``                     | ``
          b , a=1, a == 1        | a=1,b
          a in (2,1,2)           | a in (1,2)
          a in ( 1 )             | a=1
          a in ()                | a=
          a notin (,x)           | a notin (,x)
          a notin (x)            | a!=x
          n > 007                | n>7
          !in,in in (in)         | !in,in=in
          example.com/a<9,a      | a,example.com/a<9
          """)
  void hasOneCanonicalText(String text, String canonical) throws SelectionException {
    assertThat(LabelSelector.parse(text).canonical()).isEqualTo(canonical);
  }

  @Test
  void differentMeanings_areNotEqual() throws SelectionException {
    List<String> texts =
        List.of(
            "",
            "a",
            "!a",
            "a=",
            "a!=",
            "a=1",
            "a!=1",
            "a in (1,2)",
            "a notin (1,2)",
            "a>1",
            "a<1",
            "A=1",
            "a=1,b=1",
            "a=b",
            "b=a");
    List<LabelSelector> selectors = new ArrayList<>();
    for (String text : texts) {
      selectors.add(LabelSelector.parse(text));
    }
    assertThat(selectors).doesNotHaveDuplicates();
  }

  @Test
  void returnsItsRequirements() throws SelectionException {
    assertThat(LabelSelector.parse("c,b notin (2,1),a=x,!d,e>05,f<6").requirements())
        .containsExactly(
            new LabelRequirement("d", Operator.ABSENT, List.of()),
            new LabelRequirement("a", Operator.IN, List.of("x")),
            new LabelRequirement("b", Operator.NOT_IN, List.of("1", "2")),
            new LabelRequirement("c", Operator.EXISTS, List.of()),
            new LabelRequirement("e", Operator.GREATER, List.of("5")),
            new LabelRequirement("f", Operator.LESS, List.of("6")));
    assertThat(LabelSelector.EVERYTHING).isEqualTo(LabelSelector.parse(" "));
  }
}
