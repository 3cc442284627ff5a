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
final class ComparedWatch implements AutoCloseable {
  final Query query;
  final DirectLog direct = new DirectLog();
  final Subscriber subscriber;
  private final Cluster cluster;
  private final Truth truth;
  final Comparison comparison;
  private final DirectWatch watch;

  /** Starts the direct watch; the caller opens the subscriber. */
  ComparedWatch(Query query, Cluster cluster, WatchServiceStub stub, Truth truth, Tally tally) {
    this.query = query;
    this.cluster = cluster;
    this.subscriber = new Subscriber(stub, query);
    this.truth = truth;
    this.comparison = new Comparison(query, direct, truth, tally);
    DirectWatch.Listener listener = query.isEverything() ? new Recorder() : direct;
    this.watch =
        DirectWatch.start(
            cluster, query.type(), query.directNamespace(), query.directSelectors(), listener);
  }

  /**
   * Listener that appends to the truth and then to the log. The truth is first because the
   * comparison waits for the log.
   */
  private final class Recorder implements DirectWatch.Listener {
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

  /** Fails if one side has ended, so that waiting would be in vain. */
  void assertGoesOn() {
    assertThat(watch.failure()).as("%s: direct watch", query).isNull();
    assertThat(direct.lost()).as(query.toString()).isNull();
    assertThat(subscriber.failure()).as("%s: subscriber", query).isNull();
  }

  /** Fails while the direct watch differs from a current list. */
  void assertDirectIsSettled() {
    assertThat(direct.newest()).as("%s: direct watch against a list", query).isEqualTo(list());
  }

  /** Fails while the subscriber has no position after the last change, matching or not. */
  void assertSubscriberIsSettled() {
    assertThat(subscriber.position())
        .as("%s: position", query)
        .isGreaterThanOrEqualTo(truth.lastVersion());
  }

  /** Compares the events since the last call. */
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
