package io.watchgate.e2e.patch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random choices. */
final class RandomChoice {
  private final Random random;

  RandomChoice(long seed) {
    this.random = new Random(seed);
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  int below(int n) {
    return random.nextInt(n);
  }

  <T> T of(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** Returns a random subset, at least one value, in any order. */
  <T> List<T> some(List<T> values) {
    List<T> shuffled = shuffled(values);
    return shuffled.subList(0, 1 + random.nextInt(Math.min(3, shuffled.size())));
  }

  <T> List<T> shuffled(List<T> values) {
    List<T> shuffled = new ArrayList<>(values);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }
}
