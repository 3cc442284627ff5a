package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.error.ApiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests that a released node references no later entries, and a referenced node does. So a garbage
 * node in the old generation keeps no later frames alive.
 */
final class ChainMemoryTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5);

  private final CacheUnderTest underTest = new CacheUnderTest();
  private long version = 10;

  ChainMemoryTest() {
    underTest.writer.list(10, OBJECT);
  }

  private void addChanges(int changes) {
    for (int i = 0; i < changes; i++) {
      underTest.writer.put(OBJECT.at(++version));
      underTest.run();
    }
  }

  private List<String> versionsSince(long first) {
    return LongStream.rangeClosed(first, version).mapToObj(Long::toString).toList();
  }

  /** Joins the feed as a stream does. */
  private final class Newcomer implements ChangeRouter.Attachment {
    private final RouterRegistry.Lease lease;
    private @Nullable JoinPoint joinPoint;

    Newcomer() {
      StreamRequest asking = StreamRequest.EVERYTHING;
      try {
        lease =
            underTest.routers.open(
                underTest.writer.lease(() -> {}).cache(), asking.selection(), asking.format());
      } catch (ApiException e) {
        throw new AssertionError(e);
      }
      lease.router().attach(lease.feed(), Objects.requireNonNull(underTest.writer.head()), this);
      underTest.run();
    }

    FrameNode place() {
      return Objects.requireNonNull(joinPoint).node();
    }

    /** Releases the join point. */
    FrameNode leave() {
      FrameNode node = place();
      Objects.requireNonNull(joinPoint).release();
      lease.router().detach(lease.feed());
      lease.close();
      underTest.run();
      return node;
    }

    @Override
    public void attached(JoinPoint joinPoint) {
      this.joinPoint = joinPoint;
    }

    @Override
    public void failed() {
      throw new AssertionError("no place; the log says why");
    }
  }

  /** Returns the end of the feed's log. */
  private FrameNode end() {
    return new Newcomer().leave();
  }

  private static void assertLeadsOn(FrameNode node) {
    assertThat(node.next()).isInstanceOf(LogEntry.Frame.class);
  }

  private static void assertLeadsNowhere(FrameNode node) {
    assertThat(node.next()).isEqualTo(LogEntry.Released.GONE);
  }

  @Test
  void nodePassedByAllStreams_isUnlinked() {
    List<ControlledResponseSink> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      readers.add(underTest.subscribe(StreamRequest.EVERYTHING));
    }
    FrameNode first = end();
    addChanges(1);
    FrameNode second = end();
    assertThat(second.next()).as("nothing followed yet").isNull();
    addChanges(2);

    assertLeadsNowhere(first);
    assertLeadsNowhere(second);
    assertThat(readers)
        .allSatisfy(reader -> assertThat(reader.changes()).isEqualTo(versionsSince(11)));
  }

  @Test
  void nodeOfALaggingStream_isKeptUntilItIsSent() {
    underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING);
    addChanges(5);
    slow.stalled();
    FrameNode node = end();
    addChanges(3);
    assertLeadsOn(node);

    slow.read();
    underTest.run();

    assertThat(slow.changes()).isEqualTo(versionsSince(11));
    addChanges(1);
    assertLeadsNowhere(node);
  }

  @Test
  void closedStream_keepsNoNode() {
    underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    FrameNode node = end();
    addChanges(3);
    assertLeadsOn(node);

    slow.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();

    assertLeadsNowhere(node);
  }

  @Test
  void stalledStream_keepsNoNodeAfterACheck() {
    ControlledResponseSink live = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    FrameNode node = end();
    addChanges(3);

    underTest.pass(Duration.ofMillis(2_200));

    assertLeadsNowhere(node);
    slow.read();
    underTest.run();
    addChanges(1);
    assertThat(slow.changes()).isEqualTo(live.changes()).isEqualTo(versionsSince(11));
  }

  @Test
  void joinPoint_keepsItsNodeUntilReleased() {
    underTest.subscribe(StreamRequest.EVERYTHING);
    Newcomer newcomer = new Newcomer();
    addChanges(3);
    assertLeadsOn(newcomer.place());

    FrameNode node = newcomer.leave();

    assertLeadsNowhere(node);
  }

  @Test
  void afterAGap_allStreamsContinue() {
    ControlledResponseSink reader = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    FrameNode node = end();
    addChanges(2);
    version += 10;
    underTest.writer.list(version, OBJECT.at(version));
    underTest.run();
    addChanges(2);
    slow.read();
    underTest.run();
    addChanges(2);

    assertLeadsNowhere(node);
    assertThat(reader.changes()).endsWith(versionsSince(version - 3).toArray(String[]::new));
    assertThat(slow.changes()).endsWith(versionsSince(version - 1).toArray(String[]::new));
  }
}
