package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.error.ApiException;
import io.watchgate.http.AnswerAdmission.Ticket;
import io.watchgate.proto.v1.ErrorReason;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Tests of the admission of answers over the Kubernetes API. */
final class AnswerMemoryTest {
  private static final long LIMIT = 100 << 10;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 1);
  private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 1);

  @Test
  void answersThatAreRead_waitForEachOther() throws Exception {
    AnswerMemory memory = new AnswerMemory(LIMIT, LONG, LONG);
    Ticket first = memory.admit(ONE, 70 << 10);
    FutureTask<Ticket> second = new FutureTask<>(() -> memory.admit(ONE, 70 << 10));
    Thread thread = Thread.startVirtualThread(second);
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    assertThat(first.mayContinue()).isTrue();

    first.close();
    first.close();

    assertThat(second.get().mayContinue()).isTrue();
    assertThat(memory.used()).isEqualTo(70 << 10);
    second.get().close();
    assertThat(memory.used()).isZero();
  }

  @Test
  void answerWithoutRoom_isRefusedAfterTheWait() throws Exception {
    AnswerMemory memory = new AnswerMemory(LIMIT, Duration.ofMillis(1), LONG);
    Ticket first = memory.admit(ONE, LIMIT);
    assertThatThrownBy(() -> memory.admit(OTHER, 1 << 10))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA));
    first.close();
    memory.admit(OTHER, 1 << 10).close();
  }

  @Test
  void slowReaders_leaveRoomForNewAnswers_upToTheirOwnLimit() throws Exception {
    AnswerMemory memory = new AnswerMemory(LIMIT, Duration.ofMillis(1), Duration.ZERO);
    Ticket first = memory.admit(ONE, 70 << 10);
    assertThat(first.mayContinue()).isTrue();
    Ticket second = memory.admit(ONE, 20 << 10);
    // An address has three quarters of the memory of slow readers.
    assertThat(second.mayContinue()).isFalse();
    assertThat(second.mayContinue()).isFalse();
    Ticket third = memory.admit(OTHER, 20 << 10);
    assertThat(third.mayContinue()).isTrue();
    assertThat(memory.used()).isEqualTo(90 << 10);

    second.close();
    first.close();
    assertThat(memory.used()).isEqualTo(20 << 10);
    assertThat(first.mayContinue()).isFalse();
    third.close();
    assertThat(memory.used()).isZero();
  }
}
