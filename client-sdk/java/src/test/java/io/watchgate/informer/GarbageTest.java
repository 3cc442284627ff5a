package io.watchgate.informer;

import static io.watchgate.informer.ResponseBuilder.added;
import static io.watchgate.informer.ResponseBuilder.begun;
import static io.watchgate.informer.ResponseBuilder.changes;
import static io.watchgate.informer.ResponseBuilder.events;
import static io.watchgate.informer.ResponseBuilder.modified;
import static io.watchgate.informer.ResponseBuilder.opened;
import static io.watchgate.informer.ResponseBuilder.patched;
import static io.watchgate.informer.ResponseBuilder.synced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.informer.RawGateway.Answer;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests with a gateway that violates the protocol: the client must not crash, retry in a tight
 * loop, or apply a part of an invalid update.
 */
@Tag("slow")
final class GarbageTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Number of streams with invalid answers before the gateway sends valid ones. */
  private static final int TIMES = 1;

  private static final Duration WATCHED = Duration.ofMillis(1_500);

  /**
   * Limit of attempts in that time. The waits are random with a bound that doubles; with a new
   * position each time, the bound is reset.
   */
  private static final int MOST_ATTEMPTS = 30;

  /** Returns {@link #MOST_ATTEMPTS}, or as many more as more time has passed. */
  private static int mostAttempts(long beginNanos) {
    return (int) (MOST_ATTEMPTS * (System.nanoTime() - beginNanos) / WATCHED.toNanos());
  }

  private final long seed = Long.getLong("seed", new Random().nextLong());

  private static RawGateway.Script sane(ListAndWatchResponse... responses) {
    List<byte[]> bytes = Stream.of(responses).map(ListAndWatchResponse::toByteArray).toList();
    return (request, stream) -> new Answer(bytes, false);
  }

  private RawGateway.Script garbage(Garbage garbage) {
    Random random = new Random(seed);
    return (request, stream) -> new Answer(garbage.bytes(random), true);
  }

  private RawGateway.Script atFirst(Garbage garbage, RawGateway.Script then) {
    RawGateway.Script first = garbage(garbage);
    return (request, stream) -> (stream <= TIMES ? first : then).to(request, stream);
  }

  @ParameterizedTest
  @EnumSource
  void afterValidAnswers_informerHasCorrectState(Garbage garbage) throws Exception {
    System.out.println("Garbage with seed " + seed);
    CheckingHandler folding = new CheckingHandler();
    RecordingHandler calls = new RecordingHandler();
    RawGateway.Script first =
        sane(
            opened(),
            begun(),
            events(added("a", "uid-a", "1001", "{}"), added("b", "uid-b", "1002", "{}")),
            synced("1002", 2));
    RawGateway.Script second =
        sane(
            opened(),
            begun(),
            events(added("a", "uid-a", "2001", "{\"n\":1}"), added("c", "uid-c", "2002", "{}")),
            synced("2002", 2),
            changes("2003", modified("c", "uid-c", "2003", "{\"n\":2}")));
    try (RawGateway gateway = new RawGateway(atFirst(garbage, first));
        WatchClient client = gateway.client();
        Informer<ByteString> informer =
            Informer.of(client, "pods", Decoder.raw())
                .patches()
                .handler(folding)
                .handler(calls)
                .start()) {
      Map<String, String> one = Map.of("a", "uid-a 1001 {}", "b", "uid-b 1002 {}");
      informer.await(now -> CheckingHandler.state(now).equals(one), LIMIT);
      if (!garbage.hasSnapshot()) {
        assertThat(calls.calls()).noneMatch(text -> text.contains("garbage"));
      }

      gateway.follow(atFirst(garbage, second));
      Map<String, String> two = Map.of("a", "uid-a 2001 {\"n\":1}", "c", "uid-c 2003 {\"n\":2}");
      Snapshot<ByteString> now = informer.await(it -> CheckingHandler.state(it).equals(two), LIMIT);

      assertThat(now.resourceVersion()).isEqualTo("2003");
      await().untilAsserted(() -> assertThat(folding.state()).isEqualTo(two));
      assertThat(folding.violations()).as("seed %d", seed).isEmpty();
      assertThat(informer.error()).isEmpty();
      if (!garbage.hasSnapshot()) {
        assertThat(calls.calls()).noneMatch(text -> text.contains("garbage"));
      }
    }
  }

  /** Runs all cases at once, because each is observed for a while. */
  @Test
  void invalidAnswers_areRetriedSlowlyWithoutEnd() {
    List<Asked> all = new ArrayList<>();
    try {
      for (Garbage garbage : Garbage.values()) {
        all.add(new Asked(garbage, garbage(garbage)));
      }
      await().atMost(LIMIT).until(() -> all.stream().allMatch(one -> one.attempts() > 0));
      long began = System.nanoTime();
      List<Integer> before = all.stream().map(Asked::attempts).toList();
      await()
          .pollDelay(WATCHED)
          .atMost(LIMIT)
          .until(() -> all.stream().allMatch(one -> one.attempts() > 1));
      for (int i = 0; i < all.size(); i++) {
        Asked one = all.get(i);
        assertThat(one.attempts() - before.get(i))
            .as("%s, seed %d", one, seed)
            .isLessThan(mostAttempts(began));
        assertThat(one.informer.error()).as("%s", one).isEmpty();
        if (!one.garbage.hasSnapshot()) {
          assertThat(one.informer.isSynced()).as("%s", one).isFalse();
          assertThat(one.informer.snapshot().size()).as("%s", one).isZero();
        }
      }
    } finally {
      all.forEach(Asked::close);
    }
  }

  @Test
  void closedClient_endsWaitingDuringRestart() throws Exception {
    try (Asked asked =
        new Asked(Garbage.SYNCED_WITHOUT_A_SNAPSHOT, garbage(Garbage.SYNCED_WITHOUT_A_SNAPSHOT))) {
      CompletableFuture<Throwable> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  asked.informer.awaitSynced(Duration.ofMinutes(5));
                  return new AssertionError("it was synced by garbage");
                } catch (Exception e) {
                  return e;
                }
              });
      await()
          .atMost(LIMIT)
          .until(() -> asked.informer.restartCount() > 4); // its wait is seconds now

      asked.client.close();

      assertThat(waiting.get(3, TimeUnit.MINUTES)).isInstanceOf(InformerEndedException.class);
    }
  }

  /** Client that receives only invalid answers of one kind. */
  private static final class Asked implements AutoCloseable {
    private final Garbage garbage;
    private final RawGateway gateway;
    private final WatchClient client;
    private final Informer<ByteString> informer;

    Asked(Garbage garbage, RawGateway.Script script) {
      this.garbage = garbage;
      gateway = new RawGateway(script);
      client = gateway.client();
      informer = Informer.of(client, "pods", Decoder.raw()).patches().start();
    }

    int attempts() {
      return gateway.requests().size();
    }

    @Override
    public void close() {
      informer.close();
      client.close();
      gateway.close();
    }

    @Override
    public String toString() {
      return garbage.toString();
    }
  }

  /** The gateway ends no stream, so only the patch makes the informer restart. */
  @Test
  void unfitPatches_areRetriedWithBackoff() {
    byte[][] bytes =
        Stream.of(
                opened(),
                begun(),
                events(added("a", "uid-a", "10", "{}")),
                synced("10", 1),
                changes("11", patched("a", "uid-a", "11", "7", "[]")))
            .map(ListAndWatchResponse::toByteArray)
            .toArray(byte[][]::new);
    try (RawGateway gateway =
            new RawGateway((request, stream) -> new Answer(List.of(bytes), false));
        WatchClient client = gateway.client();
        Informer<ByteString> informer =
            Informer.of(client, "pods", Decoder.raw()).patches().start()) {
      await().atMost(LIMIT).until(() -> informer.restartCount() > 0);
      long began = System.nanoTime();
      int before = gateway.requests().size();
      await().pollDelay(WATCHED).atMost(LIMIT).until(() -> informer.restartCount() > 1);

      assertThat(gateway.requests().size() - before).isLessThan(mostAttempts(began));
      assertThat(informer.snapshot().size()).isEqualTo(1);
      assertThat(informer.error()).isEmpty();
    }
  }
}
