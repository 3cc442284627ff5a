package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the position and the proof of a type without bookmarks advance. */
final class IdlePositionRefresherTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final ReflectorCommands demands = new ReflectorCommands(upstream);
  private final IdlePositionRefresher quiet =
      new IdlePositionRefresher(upstream, writer.cache(), demands);

  @BeforeEach
  void list() {
    writer.list(10, A);
    writer.cache().recordWatchOpened();
  }

  private void look(Duration later) {
    time.advance(later);
    quiet.refreshIfIdle(writer.head());
  }

  @Test
  void idlePosition_movesToEqualList() {
    upstream.listMetadata(90, A);
    look(Duration.ofSeconds(110));
    assertThat(upstream.asked).isEmpty();
    look(Duration.ofSeconds(10));
    look(Duration.ofSeconds(5));
    assertThat(demands.take()).isNull();
    look(Duration.ofSeconds(5));

    assertThat(demands.take())
        .isEqualTo(new ReflectorCommands.Reached(new ResourceVersion("90"), writer.head()));
    writer.bookmark(90);
    assertThat(Duration.ofNanos(writer.cache().proofs().stalenessNanos())).hasSeconds(10);
  }

  @Test
  void changeAfterList_keepsItsPosition() {
    upstream.listMetadata(90, A);
    look(Duration.ofMinutes(2));
    writer.put(A.at(91));
    look(Duration.ofMinutes(1));

    assertThat(demands.take()).isNull();
  }

  @Test
  void differentList_movesNothing() {
    upstream.listMetadata(90, A.at(80)).listMetadata(95, A.at(80));
    look(Duration.ofMinutes(2));
    look(Duration.ofSeconds(30));
    look(Duration.ofSeconds(90));

    assertThat(demands.take()).isNull();
    assertThat(upstream.asked).containsExactly("list metadata", "list metadata");
  }

  /** Changes before the list may still be on their way. */
  @Test
  void newWatch_delaysRefresh() {
    upstream.listMetadata(90, A);
    look(Duration.ofMinutes(2));
    time.advance(Duration.ofSeconds(9));
    writer.cache().recordWatchOpened();
    look(Duration.ofSeconds(9));
    assertThat(demands.take()).isNull();
    look(Duration.ofSeconds(1));

    assertThat(demands.take()).isNotNull();
  }
}
