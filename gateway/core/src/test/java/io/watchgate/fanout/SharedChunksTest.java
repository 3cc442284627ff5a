package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.ProtoEventEncoder;
import io.watchgate.fanout.SharedChunks.Chunk;
import io.watchgate.fanout.SharedChunks.Item;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of a shared sequence in which an event cannot be encoded. */
final class SharedChunksTest {

  /** Sequence of events so large that each is a chunk of its own. */
  private static final class Group extends SharedChunks {
    private final Iterator<Item> items;

    Group(Item... items) {
      super(new ProtoEventEncoder(ObjectProjection.FULL), 10);
      this.items = List.of(items).iterator();
    }

    @Override
    @Nullable Item next() {
      return items.hasNext() ? items.next() : null;
    }
  }

  private static Item event(String text) {
    return encoder -> ByteSlices.of(text.repeat(20).getBytes(StandardCharsets.UTF_8));
  }

  private static Item broken() {
    return encoder -> {
      throw new IllegalStateException("on purpose");
    };
  }

  /**
   * If streams continued, their snapshot would lack the events that were read with the broken one.
   */
  @Test
  void unencodableEvent_failsAllReadersAndJoiners() {
    Group group = new Group(event("a"), broken(), event("c"));
    Chunk start = Objects.requireNonNull(group.start());
    Chunk first = Objects.requireNonNull(group.after(start));
    assertThat(first.count()).isEqualTo(1);

    assertThatThrownBy(() -> group.after(first)).hasMessage("on purpose");
    assertThatThrownBy(() -> group.after(first)).hasMessageContaining("could not be encoded");
    assertThat(group.start()).isNull();
    assertThat(group.isEnd(first)).isFalse();
    assertThat(group.after(start)).as("what was made before").isSameAs(first);
  }
}
