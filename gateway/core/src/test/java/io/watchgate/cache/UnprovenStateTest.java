package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the bound of the changes that are buffered for a proof. */
final class UnprovenStateTest {
  private static final int LIMIT = 10_000;

  private final CacheWriter writer =
      new CacheWriter(CacheWriter.settings(), new VirtualTime().source());
  private final UnprovenState state = state();

  private UnprovenState state() {
    writer.list(10, SampleObject.of("n", "a", 5));
    Revision head = writer.head();
    return new UnprovenState(head, new ResourceVersion("20"), head.digest(), LIMIT);
  }

  private Upstream.SinkResult add(SampleObject object) {
    return state.apply(
        new ResourceVersion(object.version()), List.of(new Change(null, object.view())));
  }

  @Test
  void changesAboveLimit_endTheWatchAndAreNotApplied() {
    assertThat(add(SampleObject.of("n", "b", 11))).isEqualTo(Upstream.SinkResult.CONTINUE);
    assertThat(state.isTooLarge()).isFalse();

    assertThat(add(SampleObject.of("n", "c", 12).padding(LIMIT))).isInstanceOf(Upstream.Stop.class);

    assertThat(state.isTooLarge()).isTrue();
    assertThat(state.hasReachedList()).isFalse();
    assertThat(state.head().version()).hasToString("11");
  }
}
