package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.VirtualTime;
import io.watchgate.fanout.GoingAwayNotice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Test of the order of streams that are asked to move, and of its bounds. */
final class StreamShedderTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = new VirtualTime();
  private final List<MovedStream> open = new ArrayList<>();

  /** Names of the streams that were asked, in order. */
  private final List<String> asked = new ArrayList<>();

  private boolean isDraining;
  private final StreamShedder shedder =
      new StreamShedder(open, time.source(), () -> isDraining, /* interval= */ Duration.ZERO);

  /** Stream that takes some time to answer. */
  private final class MovedStream implements StreamShedder.MovableStream {
    private final String name;
    private final long startNanos = time.source().nanoTime();
    private boolean caughtUp = true;
    private Duration answerTime = Duration.ZERO;

    MovedStream(String name) {
      this.name = name;
    }

    @Override
    public long startNanos() {
      return startNanos;
    }

    @Override
    public boolean goAwayIfKeepingUp(GoingAwayNotice notice) {
      asked.add(name);
      time.advance(answerTime);
      return caughtUp;
    }
  }

  /** Opens a stream, one second after the one before. */
  private MovedStream open(String name) {
    time.advance(SECOND);
    MovedStream opened = new MovedStream(name);
    open.add(opened);
    return opened;
  }

  private int shed(int count, Duration age, Duration within) throws InterruptedException {
    return shedder.shed(count, age, within);
  }

  @Test
  void streams_areAskedTheOldestFirst_upToTheCount() throws InterruptedException {
    open("first");
    open("second");
    open("third");
    open.addFirst(open.removeLast()); // the set of open streams has no order

    assertThat(shed(2, Duration.ZERO, SECOND)).isEqualTo(2);

    assertThat(asked).containsExactly("first", "second");
  }

  @Test
  void streamThatLags_staysAndTheNextIsAsked() throws InterruptedException {
    open("lags").caughtUp = false;
    open("second");
    open("third");

    assertThat(shed(1, Duration.ZERO, SECOND)).isEqualTo(1);

    assertThat(asked).containsExactly("lags", "second");
  }

  @Test
  void streamsBelowTheAge_areNotAsked() throws InterruptedException {
    open("old");
    open("young");

    assertThat(shed(2, SECOND, SECOND)).isEqualTo(1);

    assertThat(asked).containsExactly("old");
  }

  @Test
  void streamsAfterTheTimeLimit_stay() throws InterruptedException {
    open("slow").answerTime = SECOND.multipliedBy(2);
    open("second");

    assertThat(shed(2, Duration.ZERO, SECOND)).isEqualTo(1);

    assertThat(asked).containsExactly("slow");
  }

  @Test
  void drainingGateway_movesNone() throws InterruptedException {
    open("first");
    isDraining = true;

    assertThat(shed(1, Duration.ZERO, SECOND)).isZero();

    assertThat(asked).isEmpty();
  }

  /** The order must not depend on the sign of nanoTime, which is arbitrary. */
  @Test
  void clockThatOverflows_keepsTheOrder() throws InterruptedException {
    time.advance(Duration.ofNanos(Long.MAX_VALUE - time.source().nanoTime()));
    open("before the overflow of the next");
    open("after it");

    assertThat(shed(2, Duration.ZERO, SECOND)).isEqualTo(2);

    assertThat(asked).containsExactly("before the overflow of the next", "after it");
  }
}
