package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the limits of states, each and together. */
final class StateBudgetTest extends ReflectorScript {
  private final StateBudget budget = new StateBudget(50, 80, new HeapBudget(Long.MAX_VALUE));

  @Test
  void typeOverItsLimit_isRefused() {
    StateBudget.Share share = budget.open();
    share.load(50);
    assertThatThrownBy(() -> share.keep(51))
        .isInstanceOf(StateTooLargeException.class)
        .hasMessage("its state needs more than the 50 bytes that one type may occupy");
  }

  private StateBudget.Share held(long bytes) {
    StateBudget.Share share = budget.open();
    share.load(bytes);
    share.keep(bytes);
    return share;
  }

  @Test
  void loadingType_overTotal_isRefusedAndOthersContinue() {
    held(40);
    StateBudget.Share second = held(40);
    StateBudget.Share third = budget.open();
    assertThatThrownBy(() -> third.load(1))
        .isInstanceOf(StateTooLargeException.class)
        .hasMessage("all types together need more than the 80 bytes that they may occupy");
    third.release();
    assertThatCode(() -> second.keep(40)).doesNotThrowAnyException();
  }

  @Test
  void failedList_isNoLongerCounted() {
    StateBudget.Share share = budget.open();
    share.load(40);
    share.abandonList(0);
    assertThat(budget.used()).isZero();
  }

  @Test
  void largestLoadingType_isRefused() {
    held(40);
    StateBudget.Share large = budget.open();
    large.load(38);
    StateBudget.Share small = budget.open();
    assertThatCode(() -> small.load(3)).doesNotThrowAnyException();
    assertThatThrownBy(() -> large.load(39)).isInstanceOf(StateTooLargeException.class);
    large.release();
    assertThatCode(() -> small.load(30)).doesNotThrowAnyException();
  }

  @Test
  void eighthOverTotal_growingTypeEnds() {
    held(42);
    StateBudget.Share second = held(38);
    assertThatCode(() -> second.keep(41)).doesNotThrowAnyException();
    StateBudget.Share third = budget.open();
    assertThatThrownBy(() -> third.load(8)).isInstanceOf(StateTooLargeException.class);
  }

  @Test
  void growingTypes_largestEnds() {
    StateBudget.Share large = held(45);
    StateBudget.Share small = held(35);
    assertThatCode(() -> small.keep(40)).doesNotThrowAnyException();
    assertThatThrownBy(() -> large.keep(46)).isInstanceOf(StateTooLargeException.class);
    large.release();
    assertThatCode(() -> small.keep(50)).doesNotThrowAnyException();
    assertThatCode(() -> budget.open().load(30)).doesNotThrowAnyException();
  }

  @Test
  void loadingType_endsBeforeCompleteType() {
    StateBudget.Share held = held(45);
    StateBudget.Share loading = budget.open();
    assertThatThrownBy(() -> loading.load(36)).isInstanceOf(StateTooLargeException.class);

    assertThatCode(() -> held.keep(46)).doesNotThrowAnyException();
    loading.release();
    assertThatCode(() -> held.keep(47)).doesNotThrowAnyException();
  }

  @Test
  void tooLargeType_isNotCached() {
    settings = CacheSettings.forHeap(1_000);
    cache = cache();
    upstream.list(10, A.padding(2_000));

    assertThat(run()).containsExactly("streaming list", "list");
    assertThat(cache.head()).isNull();
    assertThat(states.getLast().phase()).isEqualTo(UpstreamState.ReflectorPhase.TOO_LARGE);
  }

  @Test
  void typeGrowingTooLarge_ends() {
    settings = CacheSettings.forHeap(10_000);
    cache = cache();
    listed()
        .watch(
            sink -> {
              ScriptedUpstream.send(sink, Upstream.EventType.MODIFIED, A.at(11).padding(20_000));
              throw new AssertionError("it was taken");
            });

    assertThat(run()).isEqualTo(List.of("streaming list", "list", "watch 10"));
    assertThat(states.getLast().phase()).isEqualTo(UpstreamState.ReflectorPhase.TOO_LARGE);
  }
}
