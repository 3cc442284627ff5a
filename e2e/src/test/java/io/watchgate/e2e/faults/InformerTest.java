package io.watchgate.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.InformerBuilder;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.ResourceVersions;
import io.watchgate.informer.Snapshot;
import io.watchgate.informer.StoredObject;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of informers in front of a real apiserver, through a gateway whose connections break and
 * which is replaced. In the end the informers must equal the apiserver's state, and the changes
 * that their handlers received must lead to it step by step.
 */
@WithSharedApiserver
final class InformerTest {
  private static final int WRITES = 600;
  private static final int NAMES = 25;

  /** Handler that checks each change against the state after the previous changes. */
  private static final class Folding implements Handler<ByteString> {
    final Map<NamespacedName, StoredObject<ByteString>> known = new ConcurrentHashMap<>();
    final List<String> violations = new CopyOnWriteArrayList<>();

    @Override
    public void onAdd(StoredObject<ByteString> object) {
      check(known.put(object.key(), object) == null, "added twice", object);
    }

    @Override
    public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
      @Nullable StoredObject<ByteString> was = known.put(after.key(), after);
      check(was != null && was.equals(before), "updated from an unknown object", after);
      check(
          ResourceVersions.compare(before.resourceVersion(), after.resourceVersion()) < 0,
          "updated backwards",
          after);
    }

    @Override
    public void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
      @Nullable StoredObject<ByteString> was = known.remove(last.key());
      check(was != null && was.uid().equals(last.uid()), "deleted an unknown object", last);
    }

    private void check(boolean holds, String violation, StoredObject<ByteString> object) {
      if (!holds) {
        violations.add(violation + ": " + object);
      }
    }
  }

  /** One informer, observed by its handler and by its store. */
  private static final class Follower implements AutoCloseable {
    final Folding all = new Folding();
    final Folding newest = new Folding();
    final Informer<ByteString> informer;

    Follower(InformerBuilder<ByteString> builder) {
      informer = builder.handler(all).handler(newest, HandlerSettings.DEFAULT.conflating()).start();
    }

    @Override
    public void close() {
      informer.close();
    }
  }

  @Test
  void informersAndHandlers_equalApiserver(Apiserver apiserver) throws Exception {
    long seed = Long.getLong("seed", new Random().nextLong());
    System.out.println("Informers with seed " + seed);
    Random random = new Random(seed);
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "informed");
    GatewaySetup setup = GatewaySetup.QUICK.opening("configmaps");
    TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), setup);
    try (FaultProxy front = new FaultProxy(address(gateway));
        WatchClient client = WatchClient.to("127.0.0.1", front.port()).build();
        Follower whole = follower(client, maps, builder -> builder);
        Follower patched = follower(client, maps, InformerBuilder::patches)) {
      whole.informer.awaitSynced(Subscriber.LIMIT);
      patched.informer.awaitSynced(Subscriber.LIMIT);
      Map<String, Integer> there = new HashMap<>();
      for (int write = 1; write <= WRITES; write++) {
        writeOne(maps, there, random, write);
        if (write % 100 == 50) {
          front.reset();
        }
        if (write == WRITES / 2) {
          TestGateway old = gateway;
          gateway = TestGateway.start(apiserver.kubeconfig(), setup);
          front.setTarget(address(gateway));
          old.close();
        }
      }

      Map<String, String> truth = state(apiserver, maps);
      for (Follower follower : List.of(whole, patched)) {
        assertThat(follower.informer.await(now -> state(now).equals(truth), Subscriber.LIMIT))
            .isNotNull();
        for (Folding folding : List.of(follower.all, follower.newest)) {
          await()
              .atMost(Subscriber.LIMIT)
              .untilAsserted(() -> assertThat(state(folding.known)).isEqualTo(truth));
          assertThat(folding.violations).as("seed %d", seed).isEmpty();
        }
        assertThat(follower.informer.problemCount()).as("seed %d", seed).isZero();
      }
      assertThat(contents(patched.informer.snapshot()))
          .isEqualTo(contents(whole.informer.snapshot()));
    } finally {
      gateway.close();
    }
  }

  private static URI address(TestGateway gateway) {
    return URI.create("http://127.0.0.1:" + gateway.port());
  }

  private static Follower follower(
      WatchClient client, ConfigMaps maps, UnaryOperator<InformerBuilder<ByteString>> as) {
    return new Follower(
        as.apply(
            Informer.of(client, "configmaps", Decoder.raw())
                .inNamespace(maps.namespace())
                .withFields("metadata.name!=kube-root-ca.crt")));
  }

  private static void writeOne(
      ConfigMaps maps, Map<String, Integer> there, Random random, int value) {
    String name = "map-" + random.nextInt(NAMES);
    if (!there.containsKey(name)) {
      maps.create(name, value, "x".repeat(500));
      there.put(name, value);
    } else if (random.nextInt(4) == 0) {
      maps.delete(name);
      there.remove(name);
    } else {
      maps.set(name, value);
    }
  }

  /** Returns name and version of each object in the apiserver's list. */
  private static Map<String, String> state(Apiserver apiserver, ConfigMaps maps) {
    Map<String, String> state = new HashMap<>();
    JsonNode list =
        apiserver
            .cluster()
            .list(
                Resource.CONFIGMAPS,
                maps.namespace(),
                Map.of("fieldSelector", "metadata.name!=kube-root-ca.crt"));
    for (JsonNode object : list.get("items")) {
      state.put(
          object.at("/metadata/name").textValue(),
          object.at("/metadata/resourceVersion").textValue());
    }
    return state;
  }

  private static Map<String, String> state(Snapshot<ByteString> snapshot) {
    Map<String, String> state = new HashMap<>();
    snapshot.forEach(object -> state.put(object.key().name(), object.resourceVersion()));
    return state;
  }

  private static Map<String, String> state(Map<NamespacedName, StoredObject<ByteString>> known) {
    Map<String, String> state = new HashMap<>();
    known.forEach((key, object) -> state.put(key.name(), object.resourceVersion()));
    return state;
  }

  /**
   * Returns the objects as JSON values, because patched objects need not be equal byte for byte.
   */
  private static Map<String, JsonNode> contents(Snapshot<ByteString> snapshot) {
    Map<String, JsonNode> contents = new HashMap<>();
    snapshot.forEach(
        object -> contents.put(object.key().name(), Json.parse(object.value().toStringUtf8())));
    return contents;
  }
}
