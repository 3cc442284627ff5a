package io.watchgate.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Bytes that are charged, refused and released, and room to build responses. */
final class PendingResponseBytesTest {
  @Test
  void aboveLimit_responseIsRefusedUntilAnotherIsRead() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share first = answers.share("client 1");
    first.charge(70);
    PendingResponseBytes.Share second = answers.share("client 2");
    assertThatThrownBy(() -> second.charge(40))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
              assertThat(e.error().retryAfter()).isPositive();
            });
    first.release();
    first.release();
    second.charge(40);
    assertThat(answers.bytes()).isEqualTo(40);
    second.release();
    assertThat(answers.bytes()).isZero();
  }

  @Test
  void clientThatReadsNothing_leavesRoomForOthers() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share first = answers.share("silent");
    first.charge(40);
    answers.share("silent").charge(35);
    assertThatThrownBy(() -> answers.share("silent").charge(1)).isInstanceOf(ApiException.class);
    answers.share("other").charge(25);
    first.release();
    answers.share("silent").charge(40);
    assertThat(answers.bytes()).isEqualTo(100);
  }

  @Test
  void build_waitsForRoom() throws Exception {
    PendingResponseBytes answers = new PendingResponseBytes(100 << 10);
    PendingResponseBytes.Share first = answers.share("client 3");
    first.reserve(70 << 10);
    PendingResponseBytes.Share second = answers.share("client 4");
    FutureTask<Boolean> making =
        new FutureTask<>(
            () -> {
              second.reserve(1 << 30, Duration.ofMinutes(5)); // as much as the limit
              return true;
            });
    Thread thread = Thread.startVirtualThread(making);
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

    first.endReservation();

    assertThat(making.get()).isTrue();
    second.endReservation();
    second.endReservation();
    answers.share("client 5").reserve(100 << 10);
  }

  @Test
  void responseAboveLimit_isAllowedAlone() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    answers.share("client 6").charge(1_000);

    assertThatThrownBy(() -> answers.share("client 7").charge(1)).isInstanceOf(ApiException.class);
  }

  @Test
  void clientThatIsGone_isNotCounted() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share gone = answers.share("client 8");
    gone.release();
    gone.charge(50);

    assertThat(answers.bytes()).isZero();
  }
}
