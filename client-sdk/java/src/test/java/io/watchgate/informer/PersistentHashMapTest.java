package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparison with a map of the JDK; older versions of the map must not change. */
final class PersistentHashMapTest {

  /** Key whose hash is shared by any number of keys. */
  private record Key(int number, int hashes) {
    @Override
    public int hashCode() {
      return number % hashes;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 40, 1_000_000})
  void randomPutsAndRemoves_equalJdkMap(int hashes) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    PersistentHashMap<Key, Integer> trie = PersistentHashMap.empty();
    Map<Key, Integer> model = new HashMap<>();
    List<PersistentHashMap<Key, Integer>> earlier = new ArrayList<>();
    List<Map<Key, Integer>> models = new ArrayList<>();
    int keys = Math.min(400, 10 * hashes);
    for (int step = 0; step < 4_000; step++) {
      Key key = new Key(random.nextInt(keys), hashes);
      boolean grows = random.nextInt(4_000) > step;
      if (grows || random.nextInt(3) == 0) {
        trie = trie.put(key, step);
        model.put(key, step);
      } else {
        trie = trie.remove(key);
        model.remove(key);
      }
      if (step % 200 == 0) {
        earlier.add(trie);
        models.add(Map.copyOf(model));
      }
    }

    assertSame(trie, model, keys, hashes, seed);
    for (int i = 0; i < earlier.size(); i++) {
      assertSame(earlier.get(i), models.get(i), keys, hashes, seed);
    }
    for (Key key : List.copyOf(model.keySet())) {
      trie = trie.remove(key);
    }
    assertSame(trie, Map.of(), keys, hashes, seed);
  }

  private static void assertSame(
      PersistentHashMap<Key, Integer> trie,
      Map<Key, Integer> model,
      int keys,
      int hashes,
      long seed) {
    Map<Key, Integer> walked = new HashMap<>();
    trie.forEach(walked::put);
    assertThat(walked).as("seed %d", seed).isEqualTo(model);
    assertThat(trie.size()).as("seed %d", seed).isEqualTo(model.size());
    for (int number = 0; number < keys; number++) {
      Key key = new Key(number, hashes);
      assertThat(trie.get(key)).as("seed %d", seed).isEqualTo(model.get(key));
    }
  }
}
