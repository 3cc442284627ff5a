package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteTableTest {
  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void behavesLikeMap(long seed) {
    Random random = new Random(seed);
    ByteTable<Integer> table = new ByteTable<>();
    Map<String, Integer> map = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      String key = "é".repeat(random.nextInt(12)) + random.nextInt(40);
      // Half of the time it grows, half of the time it shrinks.
      boolean filling = (step / 2_000) % 2 == 0;
      if (!map.containsKey(key) && filling) {
        table.put(bytes(key), step);
        map.put(key, step);
      } else if (map.containsKey(key) && !filling) {
        table.remove(bytes(key));
        map.remove(key);
      }
      byte[] around = bytes("<" + key + ">");
      assertThat(table.find(around, 1, around.length - 1)).isEqualTo(map.get(key));
      assertThat(table.size()).isEqualTo(map.size());
    }
    List<Integer> values = new ArrayList<>();
    table.forEach(values::add);
    assertThat(values).containsExactlyInAnyOrderElementsOf(map.values());
  }

  @Test
  void capacity_followsSize() {
    ByteTable<String> table = new ByteTable<>();
    int empty = table.capacity();
    for (int i = 0; i < 10_000; i++) {
      table.put(bytes("key" + i), "value");
    }
    assertThat(table.capacity()).isBetween(20_000, 40_000);
    for (int i = 0; i < 10_000; i++) {
      table.remove(bytes("key" + i));
    }
    assertThat(table.capacity()).isEqualTo(empty);
  }

  @Test
  void keysDifferingInByteOrLength_areDistinct() {
    ByteTable<String> table = new ByteTable<>();
    byte[] zeros = new byte[40];
    for (int length = 0; length < 40; length++) {
      table.put(new byte[length], "zeros " + length);
    }
    for (int at = 0; at < 40; at++) {
      byte[] key = new byte[40];
      key[at] = -1;
      table.put(key, "one " + at);
      assertThat(table.get(key)).isEqualTo("one " + at);
    }
    for (int length = 0; length < 40; length++) {
      assertThat(table.find(zeros, 40 - length, 40)).isEqualTo("zeros " + length);
    }
  }
}
