package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Test of an index of random selections against evaluating each of them. */
class SelectionIndexModelTest {
  private record Added(CompiledSelection selection, int value) {}

  private record Found(int value, boolean before, boolean after) {}

  private final SelectionIndex<Integer> index = new SelectionIndex<>();
  private final List<Added> added = new ArrayList<>();

  @ParameterizedTest(name = "{0}, seed {1}")
  @CsvSource({
    "pods, 1",
    "pods, 2",
    "events, 3",
    "nodes, 4",
    "widgets.example.com, 5",
    "persistentvolumes, 6",
    "services, 7"
  })
  void findsEachMatchOnce(String type, long seed) {
    Random random = new Random(seed);
    RandomSelections selections = new RandomSelections(type, random);
    int found = 0;
    int sameLabels = 0;
    for (int step = 0; step < 3_000; step++) {
      if (random.nextInt(300) < 100 - added.size() / 2) {
        Added one = new Added(selections.selection(), step);
        index.add(one.selection, one.value);
        added.add(one);
      } else if (!added.isEmpty() && random.nextInt(3) == 0) {
        Added one = added.remove(random.nextInt(added.size()));
        index.remove(one.value);
      }
      KubeObject now = selections.object();
      KubeObject old = selections.object(now.namespace(), now.name());
      found +=
          switch (random.nextInt(4)) {
            case 0 -> check(null, now);
            case 1 -> check(old, null);
            default -> {
              sameLabels += old.hasSameLabelsAs(now) ? 1 : 0;
              yield check(old, now);
            }
          };
    }
    assertThat(index.size()).isEqualTo(added.size()).isPositive();
    assertThat(sameLabels).isGreaterThan(20);
    assertThat(found).isGreaterThan(8_000);
  }

  private int check(@Nullable KubeObject old, @Nullable KubeObject now) {
    List<Found> wanted = new ArrayList<>();
    for (Added one : added) {
      boolean before = old != null && one.selection.matches(old);
      boolean after = now != null && one.selection.matches(now);
      if (before || after) {
        wanted.add(new Found(one.value, before, after));
      }
    }
    List<Found> found = new ArrayList<>();
    index.match(old, now, (value, before, after) -> found.add(new Found(value, before, after)));
    found.sort(Comparator.comparingInt(Found::value)); // in the order in which they were added
    assertThat(found).isEqualTo(wanted);
    return found.size();
  }
}
