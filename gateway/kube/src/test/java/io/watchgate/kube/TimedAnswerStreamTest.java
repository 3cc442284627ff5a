package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TimedAnswerStreamTest {
  private static final Duration SILENCE = Duration.ofMillis(50);

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final ReceiveWindow window = new ReceiveWindow(Long.MAX_VALUE);
  private final AtomicInteger ends = new AtomicInteger();

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  @Test
  void idleRead_endsTheCallOnce() throws Exception {
    PipedOutputStream far = new PipedOutputStream();
    PipedInputStream answer = new PipedInputStream(far);
    Runnable end =
        () -> {
          ends.incrementAndGet();
          try {
            far.close();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    try (TimedAnswerStream heard = new TimedAnswerStream(answer, window, timer)) {
      heard.startTimer(SILENCE, end);
      far.write(7);
      assertThat(heard.read()).isEqualTo(7);
      assertThat(heard.read()).isEqualTo(-1);
    }
    assertThat(ends).hasValue(1);
    assertThat(timer.getQueue()).isEmpty();
  }

  @Test
  void timeBetweenReads_doesNotCount() throws Exception {
    timer.setRemoveOnCancelPolicy(true);
    InputStream answer = new ByteArrayInputStream(new byte[] {1, 2});
    try (TimedAnswerStream heard = new TimedAnswerStream(answer, window, timer)) {
      heard.startTimer(SILENCE, ends::incrementAndGet);
      assertThat(heard.read()).isEqualTo(1);
      await().until(() -> timer.getCompletedTaskCount() > 2);
      assertThat(heard.read(new byte[9])).isEqualTo(1);
    }
    assertThat(ends).hasValue(0);
    assertThat(timer.getQueue()).isEmpty();
  }
}
