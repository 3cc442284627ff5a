package io.watchgate.fanout;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random history of a cluster, with one to three replicas and one to three clients. */
final class ModelRun {
  private static final int STEPS = 300;

  private final Random random;
  private final VirtualTime time = new VirtualTime();
  private final Truth truth;
  private final boolean restores;
  private final List<Replica> replicas = new ArrayList<>();
  private final List<ModelClient> clients = new ArrayList<>();

  ModelRun(long seed) {
    random = new Random(seed);
    truth = new Truth(random);
    restores = random.nextInt(3) == 0;
    CacheSettings settings =
        CacheWriter.settings()
            .withHistory(Duration.ofSeconds(60), random.nextBoolean() ? 15_000 : 1 << 20)
            .withLaggardBytes(random.nextBoolean() ? 10_000 : 1 << 20);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      replicas.add(new Replica(i, truth, settings, time, random));
    }
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      clients.add(new ModelClient(truth, time, random));
    }
  }

  /** Returns the signals and reasons that occurred. */
  Set<String> run() throws ApiException {
    for (int i = 0; i < STEPS; i++) {
      step(any(replicas), any(clients));
      clients.forEach(ModelClient::read);
    }
    settle();
    Set<String> met = new TreeSet<>();
    clients.forEach(client -> met.addAll(client.met));
    return met;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void step(Replica replica, ModelClient client) throws ApiException {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> truth.step();
      case 3, 4, 5 -> replica.known.step();
      case 6, 7 -> replica.runOne();
      case 8 -> replica.runAll();
      case 9 -> time.advance(Duration.ofMillis(random.nextInt(2_000)));
      case 10 -> client.credit(random.nextInt(3) == 0 ? 0 : random.nextInt(10));
      default -> {
        if (random.nextInt(8) == 0) {
          client.cancel();
        }
        if (!client.isOpen() && random.nextBoolean()) {
          client.connect(replica);
        }
        if (restores && random.nextInt(15) == 0) {
          truth.restore();
        }
      }
    }
  }

  /**
   * Makes all clients read, the replicas catch up, and refused clients start again. Then all
   * clients must have the current state, and clients with long bookmark intervals not only through
   * bookmarks.
   */
  private void settle() throws ApiException {
    clients.forEach(client -> client.credit(RecordingOutlet.ALL));
    replicas.forEach(replica -> replica.runAll());
    clients.forEach(ModelClient::read);
    truth.current().now += STEPS * 5; // after every version before a restore
    replicas.forEach(replica -> replica.known.catchUp());
    for (int second = 0; second < 30; second++) {
      for (ModelClient client : clients) {
        if (!client.isOpen()) {
          client.forget();
          client.connect(any(replicas));
          client.credit(RecordingOutlet.ALL);
        }
      }
      replicas.forEach(replica -> replica.runAll());
      time.advance(Duration.ofSeconds(1));
      replicas.forEach(replica -> replica.runAll());
      clients.forEach(ModelClient::read);
      clients.forEach(ModelClient::assertHeard);
      if (second % 10 == 9) {
        clients.forEach(ModelClient::assertUpToDate);
      }
    }
  }
}
