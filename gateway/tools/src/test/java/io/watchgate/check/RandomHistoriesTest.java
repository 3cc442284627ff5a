package io.watchgate.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.RecordedSignal.SnapshotStarted.Reason;
import io.watchgate.check.Session.Policy;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories, first correct and then with one error. */
final class RandomHistoriesTest {
  private static final int STORIES = 150;
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private static final List<String> APPS = List.of("web", "web", "db");

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private ChangeHistory story() {
    ChangeHistory story = new ChangeHistory();
    for (int i = 0; i < 5; i++) {
      step(story);
    }
    story.begin();
    for (int i = 0; i < 40; i++) {
      step(story);
    }
    return story;
  }

  private void step(ChangeHistory story) {
    String name = pick(NAMES);
    if (story.has(name) && random.nextInt(4) == 0) {
      story.delete(name);
    } else {
      story.put(name, pick(APPS));
    }
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Returns a stream with a random start, which continues with random segments up to the end. */
  private StreamMessages randomStream(ChangeHistory story, Policy policy) {
    StreamMessages stream =
        new StreamMessages(story, pick(List.of(SelectionSpec.EVERYTHING, ChangeHistory.WEB)))
            .policy(policy);
    long at = random.nextInt(story.beginning(), story.beginning() + 10);
    if (random.nextBoolean()) {
      stream.resumed(at);
    } else {
      stream.snapshot(at);
    }
    while (at < story.version()) {
      at = Math.min(story.version(), at + random.nextInt(6));
      switch (random.nextInt(8)) {
        case 0 -> stream.snapshot(at, Reason.POSITION_EXPIRED);
        case 1, 2 -> replaced(stream, policy, at);
        default -> stream.changes(at);
      }
      stream.bookmark(at);
    }
    return stream;
  }

  private static void replaced(StreamMessages stream, Policy policy, long at) {
    switch (policy) {
      case RESYNC -> stream.netEffect(at);
      case CONFLATE -> stream.conflated(at);
      case DISCONNECT -> stream.changes(at);
    }
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void correctStream_breaksNothing(Policy policy) {
    for (int i = 0; i < STORIES; i++) {
      ChangeHistory story = story();
      Session session = randomStream(story, policy).session();
      CheckReport report = Validator.judge(story.truth(), List.of(session));
      assertThat(report.holds()).as("seed %d\n%s", seed, report.text()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(StreamDefect.class)
  void oneWrongEvent_isFound(StreamDefect breakage) {
    Map<Policy, Integer> broken = new EnumMap<>(Policy.class);
    for (int i = 0; i < STORIES; i++) {
      Policy policy = pick(List.of(Policy.RESYNC, Policy.DISCONNECT, Policy.CONFLATE));
      ChangeHistory story = story();
      StreamMessages stream = randomStream(story, policy);
      Optional<List<RecordedMessage>> messages = breakage.of(stream.messages(), random);
      if (messages.isPresent()
          && !(breakage == StreamDefect.SWAPPED && policy != Policy.DISCONNECT)) {
        Session session = stream.session(messages.get());
        CheckReport report = Validator.judge(story.truth(), List.of(session));
        assertThat(report.holds())
            .as("seed %d, %s in %s: %s", seed, breakage, session, session.messages())
            .isFalse();
        broken.merge(policy, 1, Integer::sum);
      }
    }
    assertThat(broken).as("seed %d", seed).containsKey(Policy.DISCONNECT);
  }
}
