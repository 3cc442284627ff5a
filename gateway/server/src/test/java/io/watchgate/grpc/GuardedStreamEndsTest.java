package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that quotas and grants of a user's streams are released, however the streams end. */
final class GuardedStreamEndsTest {
  private static final int USERS = 5;
  private static final int OPEN_OF_EACH = 8;
  private static final AuthSettings TIGHT =
      new AuthSettings(
          Callers.TOKENS,
          AuthSettings.Authorization.KUBERNETES,
          new AuthSettings.Rechecks(Duration.ofMillis(300), Duration.ofMillis(300)),
          new AuthSettings.Quotas(60, 1_000, 3, 1 << 20));

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          TIGHT,
          apiserver,
          IntStream.range(0, 50)
              .mapToObj(i -> SampleObject.of("ns", "o" + i, 50 + i).padding(4_000))
              .toArray(SampleObject[]::new));

  @AfterEach
  void close() {
    fixture.close();
  }

  private String token(int user) {
    return switch (random.nextInt(8)) {
      case 0 -> {
        String expiring = Callers.expiring(Instant.now().plusSeconds(random.nextInt(3)));
        apiserver.knows(expiring, "u" + user);
        yield expiring;
      }
      case 1 -> "unknown";
      default -> {
        apiserver.knows("t" + user, "u" + user);
        yield "t" + user;
      }
    };
  }

  private ListAndWatchRequest request() {
    ListAndWatchRequest.Builder request = CONFIG_MAPS.toBuilder();
    switch (random.nextInt(6)) {
      case 0 -> request.getSelectionBuilder().setLabelSelector("app=" + random.nextInt(6));
      case 1 -> request.getSelectionBuilder().addNamespaces("forbidden");
      case 2 -> request.getSelectionBuilder().setFieldSelector("no.field=x");
      default -> request.setClientName("c\n\"" + random.nextInt(3));
    }
    return request.build();
  }

  private RawStream begin(Channel channel) {
    RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
    stream.ask(request().toByteArray());
    stream.halfClose();
    if (random.nextInt(5) == 0) {
      stream.demand(random.nextInt(4)); // and reads no more
    } else {
      stream.demand(Integer.MAX_VALUE);
    }
    if (random.nextInt(6) == 0) {
      stream.cancel();
    }
    return stream;
  }

  /** Changes the apiserver's answers, or makes it unavailable. */
  private void apiserverChanges() {
    int denied = random.nextInt(3 * USERS);
    apiserver.isSilent(random.nextInt(6) == 0);
    apiserver.allows(
        (identity, access) ->
            !identity.user().equals("u" + denied) && !access.text().contains("forbidden"));
    if (random.nextInt(3) == 0) {
      apiserver.forgets("t" + random.nextInt(USERS));
    }
  }

  @Test
  void streamsThatEndAtRandom_areReleasedAndAuditedOnce() throws InterruptedException {
    List<ManagedChannel> channels = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      channels.add(fixture.connect());
    }
    List<RawStream> begun = opened(channels.getFirst());
    List<RawStream> streams = new ArrayList<>(begun);
    for (int i = 0; i < 1_500; i++) {
      int connection = random.nextInt(channels.size());
      RawStream stream = begin(withToken(channels.get(connection), token(random.nextInt(USERS))));
      begun.add(stream);
      streams.add(stream);
      if (random.nextInt(3) == 0) {
        streams.remove(random.nextInt(streams.size())).cancel();
      }
      if (random.nextInt(50) == 0) {
        apiserverChanges();
      }
      if (random.nextInt(300) == 0) {
        channels.set(connection, fixture.connect()).shutdownNow();
      }
      assertThat(fixture.gatekeeper.maxStreamsOfOneUser()).as("seed %d", seed).isBetween(0, 60);
      assertThat(fixture.gatekeeper.maxSelectionsOfOneUser()).as("seed %d", seed).isBetween(0, 3);
    }
    if (random.nextBoolean()) {
      fixture.server.drain(Duration.ofMillis(200));
    }
    channels.forEach(ManagedChannel::shutdownNow);

    await("seed " + seed)
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                fixture.places.usedSlots() == 0
                    && fixture.gatekeeper.maxStreamsOfOneUser() == 0
                    && fixture.gatekeeper.maxSelectionsOfOneUser() == 0
                    && fixture.gatekeeper.grantCount() == 0
                    && !fixture.isTypeOpen());
    assertEachIsToldOfOnce(begun.stream().filter(stream -> !stream.bytes().isEmpty()).count());
  }

  /** Opens streams before any failure, so that every user has some, whatever follows. */
  private List<RawStream> opened(Channel channel) {
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < USERS * OPEN_OF_EACH; i++) {
      apiserver.knows("t" + i % USERS, "u" + i % USERS);
      streams.add(RawStream.open(withToken(channel, "t" + i % USERS), CONFIG_MAPS));
    }
    await("seed " + seed)
        .untilAsserted(() -> assertThat(streams).noneMatch(stream -> stream.bytes().isEmpty()));
    return streams;
  }

  /** Asserts that each stream was audited once as opened and then ended, or as denied. */
  private void assertEachIsToldOfOnce(long answered) {
    Map<String, String> events = new HashMap<>();
    for (String text : fixture.audited) {
      JsonObject line = JsonParser.parseString(text).getAsJsonObject();
      if (line.has("stream")) {
        events.merge(
            line.get("stream").getAsString(), line.get("event").getAsString(), String::concat);
      }
    }
    assertThat(events.values())
        .as("seed %d", seed)
        .allSatisfy(together -> assertThat(together).isIn("openedended", "denied"))
        .filteredOn("openedended"::equals)
        .as("seed %d: every client with an answer was admitted", seed)
        .hasSizeGreaterThanOrEqualTo(Math.toIntExact(answered));
  }
}
