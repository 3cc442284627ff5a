package io.watchgate.e2e.kubeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Test of many streaming lists at one moment, of a type that the gateway has not opened yet. */
@WithSharedApiserver
final class ManyStreamingListsTest {
  private static final int WATCHES = 1_000;
  private static final int OBJECTS = 100;

  /** So large that all answers together are larger than the gateway's heap. */
  private static final int BYTES = 4 << 10;

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Most proofs by a list in a second. */
  private static final int PROOFS_PER_SECOND = 3;

  /** The gateway may relay the requests of two crowds, all of one address. */
  private static final String[] RELAYING_ALL = {
    "--kube-max-relays-per-client", Integer.toString(2 * WATCHES)
  };

  /** A type that no other test reads. */
  private static final Resource QUOTAS = new Resource("", "v1", "resourcequotas", "ResourceQuota");

  private static final String STREAMING_LIST =
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  /** Streaming list that is read, of which only numbers are kept. */
  private static final class CountedList implements AutoCloseable {
    private final InputStream body;
    private final AtomicInteger markers = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();

    /** Number and digest of the initial objects, final once there is a marker. */
    private int added;

    private int digest;

    CountedList(InputStream body) {
      this.body = body;
      Thread.ofVirtual().start(this::read);
    }

    private void read() {
      try (BufferedReader reader =
          new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          take(line);
        }
      } catch (IOException e) {
        // this client has closed it
      }
    }

    @Override
    public void close() {
      try {
        body.close();
      } catch (IOException e) {
        // the gateway has ended
      }
    }

    private void take(String line) {
      if (line.contains("\"k8s.io/initial-events-end\":\"true\"")) {
        markers.incrementAndGet();
      } else if (line.startsWith("{\"type\":\"ADDED\"") && markers.get() == 0) {
        digest = 31 * digest + line.hashCode();
        added++;
      } else if (!line.startsWith("{\"type\":\"BOOKMARK\"")) {
        changes.incrementAndGet();
      }
    }
  }

  private static JsonNode quota(String namespace, int number) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"%s","name":"q%d",
         "annotations":{"text":"%s"}},"spec":{}}
        """
            .formatted(namespace, number, "x".repeat(BYTES)));
  }

  @Test
  void streamingListsAtOneMoment_shareTheProofAndTheState(Apiserver apiserver) {
    assertThat((long) WATCHES * OBJECTS * BYTES).isGreaterThan((long) Command.HEAP_MIB << 20);
    Cluster cluster = apiserver.cluster();
    String namespace = "many-streaming-lists";
    cluster.createNamespace(namespace);
    IntStream.range(0, OBJECTS).forEach(i -> cluster.create(QUOTAS, quota(namespace, i)));
    try (ProxiedApiserver both = ProxiedApiserver.start(apiserver, RELAYING_ALL)) {
      assertSameState(both, namespace, 1);
      if (answers(both, "proven") == 0) {
        // On a busy machine the apiserver may answer a whole crowd until the type is loaded.
        assertSameState(both, namespace, 2);
        assertThat(answers(both, "proven")).isPositive();
      }
    }
  }

  /**
   * Opens all watches at one moment; each has the same objects, and then one change.
   *
   * @param crowd number of this call
   */
  private static void assertSameState(ProxiedApiserver both, String namespace, int crowd) {
    double listsBefore = lists(both.direct());
    long begun = System.nanoTime();
    Queue<CountedList> watches = new ConcurrentLinkedQueue<>();
    try {
      for (int i = 0; i < WATCHES; i++) {
        Thread.ofVirtual()
            .start(() -> watches.add(new CountedList(open(both.proxied(), namespace))));
      }
      await()
          .atMost(LIMIT)
          .until(
              () ->
                  watches.size() == WATCHES
                      && watches.stream().allMatch(watch -> watch.markers.get() > 0));
      double seconds = (System.nanoTime() - begun) / 1e9;
      assertThat(lists(both.direct()) - listsBefore)
          .isLessThanOrEqualTo(2 + PROOFS_PER_SECOND * seconds);

      both.direct()
          .patch(QUOTAS, namespace, "q0", "{\"metadata\":{\"labels\":{\"a\":\"" + crowd + "\"}}}");
      await()
          .atMost(LIMIT)
          .until(() -> watches.stream().allMatch(watch -> watch.changes.get() > 0));
      assertThat(watches)
          .allSatisfy(
              watch -> {
                assertThat(watch.added).isEqualTo(OBJECTS);
                assertThat(watch.digest).isEqualTo(watches.element().digest);
                assertThat(watch.markers).hasValue(1);
                assertThat(watch.changes).hasValue(1);
              });
      assertThat(answers(both, "proven") + answers(both, "apiserver")).isEqualTo(crowd * WATCHES);
    } finally {
      watches.forEach(CountedList::close);
    }
  }

  /** Returns the number of requests that were answered from a source. */
  private static double answers(ProxiedApiserver both, String source) {
    return both.metrics().sum("watchgate_kube_requests_total", "source=\"" + source + "\"");
  }

  private static InputStream open(Cluster gateway, String namespace) {
    return gateway.open(QUOTAS.path(namespace) + STREAMING_LIST, "application/json");
  }

  /** Returns the number of lists of the type that the apiserver has answered. */
  private static double lists(Cluster cluster) {
    return new MetricsText(cluster.send("GET", "/metrics", "text/plain", "", "").body())
        .sum("apiserver_request_total", "resource=\"resourcequotas\"", "verb=\"LIST\"");
  }
}
