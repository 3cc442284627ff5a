package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.informer.Labels;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectionException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the informer's own label selector accepts and selects the same as the gateway's. */
@Tag("slow")
final class InformerSelectorTest {
  private static final int ROUNDS = 20_000;
  private static final int OBJECTS = 4;

  private static final List<String> KEYS =
      List.of("a", "b", "in", "notin", "example.com/a", "x.y/a_b.c-d");
  private static final List<String> VALUES =
      List.of("", "1", "2", "010", "x", "X", "in", "9223372036854775807", "9223372036854775808");

  /** Pieces of selectors, and pieces that break them. */
  private static final List<String> PIECES =
      Stream.of(
              KEYS.stream(),
              VALUES.stream(),
              Stream.of("=", "==", "!=", "!", ">", "<", "(", ")", ",", " ", "\t", "\n"),
              Stream.of("-a", "a-", "/", "a/", "/a", "a/b/c", "A.b/c", "é", "😀", "-1", "+1"),
              Stream.of("n".repeat(63), "n".repeat(64), "p".repeat(254) + "/a"))
          .flatMap(pieces -> pieces)
          .toList();

  private static final Pattern COLUMN = Pattern.compile("column (\\d+): ");

  /** Error of the gateway for a list with several wrong values: it names the first by order. */
  private static final String SEVERAL = "unable to parse requirement: [";

  private record Taken(LabelSelector gateway, io.watchgate.informer.LabelSelector informer) {}

  @Test
  void bothSelectors_acceptAndMatchTheSame() {
    long seed = Long.getLong("seed", new Random().nextLong());
    System.out.println("Selectors with seed " + seed);
    Random random = new Random(seed);
    RandomObject objects = new RandomObject(random);
    int refused = 0;
    int matched = 0;
    int passedOver = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String text = random.nextInt(4) == 0 ? anyPieces(random) : selector(random);
      String said = "seed " + seed + ": " + text;
      Taken taken = both(text, said);
      if (taken == null) {
        refused++;
        continue;
      }
      for (int i = 0; i < OBJECTS; i++) {
        Map<String, String> labels = labels(random);
        KubeObject object = objects.widget("ns", "n", labels, Map.of(), FieldPaths.NONE);
        Map<String, String> read = Labels.ofJson(ByteString.copyFrom(object.bytes()));
        boolean expected = taken.gateway.matches(object);

        assertThat(read).as(said).isEqualTo(labels);
        assertThat(taken.informer.matches(read)).as("%s, of %s", said, labels).isEqualTo(expected);
        matched += expected ? 1 : 0;
        passedOver += expected ? 0 : 1;
      }
    }
    assertThat(refused).isBetween(ROUNDS / 5, ROUNDS * 4 / 5);
    assertThat(matched).isGreaterThan(ROUNDS / 5);
    assertThat(passedOver).isGreaterThan(ROUNDS / 5);
  }

  /** Returns both selectors; null if both refuse the text at the same position. */
  private static @Nullable Taken both(String text, String said) {
    LabelSelector gateway = null;
    SelectionException refusal = null;
    try {
      gateway = LabelSelector.parse(text);
    } catch (SelectionException e) {
      refusal = e;
    }
    try {
      var informer = io.watchgate.informer.LabelSelector.parse(text);
      assertThat(refusal).as(said).isNull();
      return new Taken(Objects.requireNonNull(gateway), informer);
    } catch (IllegalArgumentException e) {
      assertThat(gateway).as("%s: %s", said, e.getMessage()).isNull();
      assertSamePlace(Objects.requireNonNull(refusal), e, said);
      return null;
    }
  }

  private static void assertSamePlace(
      SelectionException refusal, IllegalArgumentException other, String said) {
    assertThat(refusal.reason()).as(said).isEqualTo(Reason.SELECTOR_INVALID);
    Matcher column = COLUMN.matcher(String.valueOf(other.getMessage()));
    assertThat(column.find()).as(said).isTrue();
    if (!String.valueOf(refusal.getMessage()).startsWith(SEVERAL)) {
      assertThat(Integer.parseInt(column.group(1)))
          .as("%s: %s; %s", said, refusal.getMessage(), other.getMessage())
          .isEqualTo(refusal.column());
    }
  }

  // ---- random input

  private static String anyPieces(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(10); i >= 0; i--) {
      text.append(pick(PIECES, random));
    }
    return text.toString();
  }

  /** Returns a selector that is valid, or nearly so. */
  private static String selector(Random random) {
    List<String> requirements = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      requirements.add(requirement(random));
    }
    StringBuilder text = new StringBuilder(String.join(",", requirements));
    if (random.nextInt(3) == 0) {
      int at = random.nextInt(text.length() + 1);
      int end = Math.min(text.length(), at + random.nextInt(3));
      text.replace(at, end, pick(PIECES, random));
    }
    return text.toString();
  }

  private static String requirement(Random random) {
    String key = pick(KEYS, random);
    String space = random.nextInt(4) == 0 ? " " : "";
    return switch (random.nextInt(9)) {
      case 0 -> key + space + "=" + space + pick(VALUES, random);
      case 1 -> key + "==" + pick(VALUES, random);
      case 2 -> key + space + "!=" + pick(VALUES, random);
      case 3, 4 -> key + " in" + space + "(" + values(random) + ")";
      case 5 -> key + " notin (" + values(random) + space + ")";
      case 6 -> key + (random.nextBoolean() ? ">" : "<") + space + random.nextInt(12);
      case 7 -> "!" + space + key;
      default -> key;
    };
  }

  private static String values(Random random) {
    return Stream.generate(() -> pick(VALUES, random))
        .limit(random.nextInt(4))
        .collect(Collectors.joining(","));
  }

  private static Map<String, String> labels(Random random) {
    Map<String, String> labels = new TreeMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      labels.put(pick(KEYS, random), pick(VALUES, random));
    }
    return labels;
  }

  private static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }
}
