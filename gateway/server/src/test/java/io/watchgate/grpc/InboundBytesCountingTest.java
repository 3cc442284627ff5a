package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that bytes are counted while a request of their connection is incomplete. */
final class InboundBytesCountingTest {
  private static final long CALL = 2 << 10;
  private static final int BUFFER = ServerTransport.READ_BYTES;

  private final InboundBytesLimit requests = new InboundBytesLimit();
  private final ExtendedHandle first = handle();
  private final ExtendedHandle second = handle();
  private final List<String> refused = new ArrayList<>();

  private ExtendedHandle handle() {
    return new InboundBytesLimit.ReadCounter(() -> requests).newHandle();
  }

  /** Simulates a read of {@code bytes} bytes, during which {@code within} runs. */
  private static void read(ExtendedHandle connection, int bytes, Runnable within) {
    connection.lastBytesRead(bytes);
    within.run();
    connection.readComplete();
  }

  private static void read(ExtendedHandle connection, int bytes) {
    read(connection, bytes, () -> {});
  }

  private InboundBytesLimit.Request begin(ExtendedHandle connection, String name) {
    List<InboundBytesLimit.Request> begun = new ArrayList<>();
    read(connection, 100, () -> begun.add(requests.beginRequest()));
    begun.getFirst().onRefused(refusal -> refused.add(name + " " + refusal.reason()));
    return begun.getFirst();
  }

  @Test
  void read_withoutIncompleteRequest_isNotCounted() {
    read(first, 1_000);
    begin(first, "a").complete();
    read(first, 1_000);
    assertThat(requests.bytes()).isZero();
  }

  @Test
  void read_countsUntilTheLastRequestIsComplete() {
    InboundBytesLimit.Request a = begin(first, "a");
    InboundBytesLimit.Request b = begin(first, "b");
    read(first, 10);
    long counted = 3 * BUFFER + 8 * 210; // with the buffers that each began in
    assertThat(requests.bytes()).isEqualTo(2 * CALL + counted);
    b.complete();
    b.complete();
    assertThat(requests.bytes()).isEqualTo(CALL + counted);
    read(second, 2_000);
    assertThat(requests.bytes()).isEqualTo(CALL + counted);
    a.complete();
    assertThat(requests.bytes()).isZero();
  }

  @Test
  void read_leavingManyRequestsIncomplete_countsOnce() {
    read(
        first,
        100,
        () -> {
          requests.beginRequest().complete();
          assertThat(requests.bytes()).isZero();
          requests.beginRequest();
          requests.beginRequest();
        });
    assertThat(requests.bytes()).isEqualTo(2 * CALL + BUFFER + 800);
  }

  @Test
  void failedRead_isNotCounted() {
    begin(first, "a");
    first.lastBytesRead(-1);
    first.readComplete();
    assertThat(requests.bytes()).isEqualTo(CALL + BUFFER + 800);
  }

  @Test
  void aboveLimit_oldestConnectionLosesAllItsRequests() {
    begin(first, "a");
    InboundBytesLimit.Request c = begin(second, "c");
    begin(first, "b");
    read(first, BUFFER); // enough to exceed the limit in the end
    for (int i = 0; refused.isEmpty(); i++) {
      assertThat(i).isLessThan(2_000);
      read(second, BUFFER);
    }
    assertThat(refused)
        .containsExactly("a ERROR_REASON_QUOTA", "b ERROR_REASON_QUOTA")
        .isNotEmpty();
    long left = requests.bytes();
    assertThat(left)
        .isBetween(
            TransportSettings.MAX_INCOMPLETE_BYTES - 64 * 1_024,
            TransportSettings.MAX_INCOMPLETE_BYTES);
    c.complete();
    assertThat(requests.bytes()).isZero();
  }

  @Test
  void refusal_beforeTheCallbackIsSet_isDelivered() {
    begin(first, "a");
    while (requests.bytes() <= TransportSettings.MAX_INCOMPLETE_BYTES - 2 * (BUFFER * 9 + CALL)) {
      read(first, BUFFER);
    }
    read(first, BUFFER);
    List<InboundBytesLimit.Request> late = new ArrayList<>();
    read(
        first,
        100,
        () -> {
          while (refused.isEmpty()) {
            late.add(requests.beginRequest());
          }
        });
    late.getLast().onRefused(refusal -> refused.add("late " + refusal.reason()));
    assertThat(refused).containsExactly("a ERROR_REASON_QUOTA", "late ERROR_REASON_QUOTA");
    assertThat(requests.bytes()).isZero();
  }

  /** A handshake may have held these bytes back. */
  @Test
  void request_outsideOfARead_countsWithMaximumSize() {
    read(first, 100);
    InboundBytesLimit.Request unseen = requests.beginRequest();
    assertThat(requests.bytes()).isEqualTo(CALL + 9L * TransportSettings.MAX_INBOUND_BYTES);
    unseen.complete();
    assertThat(requests.bytes()).isZero();
  }
}
