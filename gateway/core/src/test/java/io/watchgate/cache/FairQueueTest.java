package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the order of a fair queue. */
final class FairQueueTest {
  private final FairQueue<String, String> queue = new FairQueue<>();

  private void add(String... items) {
    for (String item : items) {
      queue.add(item.substring(0, 1), item);
    }
  }

  private List<String> pollAll() {
    List<String> polled = new ArrayList<>();
    for (String key = queue.nextKey(any -> true); key != null; key = queue.nextKey(any -> true)) {
      assertThat(queue.first(key)).startsWith(key);
      polled.add(queue.poll(key));
    }
    return polled;
  }

  @Test
  void keys_areServedRoundRobin() {
    add("a1", "a2", "a3", "b1", "c1", "c2");
    assertThat(pollAll()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    assertThat(queue.size()).isZero();
  }

  @Test
  void keyThatIsNotAllowed_keepsItsTurn() {
    add("a1", "b1", "b2");
    assertThat(queue.nextKey(key -> !key.equals("a"))).isEqualTo("b");
    assertThat(queue.poll("b")).isEqualTo("b1");
    assertThat(queue.nextKey(key -> key.equals("c"))).isNull();
    assertThat(pollAll()).containsExactly("a1", "b2");
  }

  @Test
  void keyThatReturns_goesToTheEnd() {
    add("a1", "b1");
    assertThat(queue.poll("a")).isEqualTo("a1");
    add("a2");
    assertThat(pollAll()).containsExactly("b1", "a2");
  }

  @Test
  void removedItems_areNotCounted() {
    add("a1", "a2", "b1");
    assertThat(queue.remove("a", "a1")).isTrue();
    assertThat(queue.remove("a", "a1")).isFalse();
    assertThat(queue.remove("c", "c1")).isFalse();
    assertThat(queue.size("a")).isEqualTo(1);
    assertThat(queue.size("c")).isZero();
    assertThat(queue.size()).isEqualTo(2);
    assertThat(pollAll()).containsExactly("a2", "b1");
  }

  @Test
  void largestKey_losesItsLastItem() {
    assertThat(queue.largestKey()).isNull();
    add("a1", "b1", "b2", "c1", "c2");
    assertThat(queue.largestKey()).isEqualTo("b");
    assertThat(queue.pollLast("b")).isEqualTo("b2");
    assertThat(pollAll()).containsExactly("a1", "b1", "c1", "c2");
  }
}
