package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceStub;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One query, watched directly and through the gateway. */
final class Pair implements AutoCloseable {
  final Query query;
  final DirectLog direct = new DirectLog();
  final Subscriber subscriber;
  private final Cluster cluster;
  final Comparison comparison;
  private final DirectWatch watch;

  /** Starts the direct watch; the subscriber is opened by the caller. */
  Pair(Query query, Cluster cluster, WatchServiceStub stub, Truth truth, Tally tally) {
    this.query = query;
    this.cluster = cluster;
    this.subscriber = new Subscriber(stub, query);
    this.comparison = new Comparison(query, direct, truth, tally);
    DirectWatch.Listener listener = query.isEverything() ? new Recorder(truth) : direct;
    this.watch =
        DirectWatch.start(
            cluster, query.type(), query.directNamespace(), query.directSelectors(), listener);
  }

  /** Tells the truth as well as the log; the truth first, since the log is what is waited for. */
  private final class Recorder implements DirectWatch.Listener {
    private final Truth truth;

    Recorder(Truth truth) {
      this.truth = truth;
    }

    @Override
    public void listed(long resourceVersion, List<JsonNode> objects) {
      direct.listed(resourceVersion, objects);
    }

    @Override
    public void changed(DirectEvent event) {
      truth.record(event);
      direct.changed(event);
    }
  }

  /** Holds if nothing is under way any more: both sides have what a list has now. */
  void assertDirectIsSettled() {
    assertThat(watch.failure()).as("%s: direct watch", query).isNull();
    assertThat(direct.lost()).as(query.toString()).isNull();
    assertThat(direct.newest()).as("%s: direct watch against a list", query).isEqualTo(list());
  }

  /** Holds if the subscriber has all that the direct watch has. */
  void assertSubscriberIsSettled() {
    assertThat(subscriber.failure()).as("%s: subscriber", query).isNull();
    assertThat(subscriber.position())
        .as("%s: position", query)
        .isGreaterThanOrEqualTo(direct.lastVersion());
    assertThat(subscriber.newest())
        .as("%s: subscriber against the direct watch", query)
        .isEqualTo(direct.newest());
  }

  /** Compares what came since the last time. */
  void compare() {
    comparison.check(subscriber.drain());
  }

  private Map<String, Long> list() {
    Map<String, Long> versions = new HashMap<>();
    cluster
        .list(query.type(), query.directNamespace(), query.directSelectors())
        .get("items")
        .forEach(item -> versions.put(DirectEvent.keyOf(item), DirectLog.versionOf(item)));
    return versions;
  }

  @Override
  public void close() {
    subscriber.stop();
    watch.close();
  }
}
