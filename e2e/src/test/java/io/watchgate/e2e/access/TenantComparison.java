package io.watchgate.e2e.access;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stream of a tenant together with the tenant's own watches of the same objects at the apiserver,
 * and at the gateway over the Kubernetes API. All must have begun before the first write; then they
 * receive the same changes.
 */
final class TenantComparison implements AutoCloseable {
  private final Tenant tenant;
  private final Tenant.Wanted wanted;
  private final List<DirectWatch> watches = new ArrayList<>();
  private final List<ObservedChange> direct = new CopyOnWriteArrayList<>();
  private final List<ObservedChange> proxied = new CopyOnWriteArrayList<>();
  private final List<String> lists = new CopyOnWriteArrayList<>();
  private Subscriber subscriber;

  /** One received change. */
  record ObservedChange(String change, long version, JsonNode object) {
    static ObservedChange of(WatchEvent event) {
      return new ObservedChange(
          event.getType().name().replace("EVENT_TYPE_", ""),
          Long.parseLong(event.getResourceVersion()),
          Json.parse(event.getObject().toByteArray()));
    }
  }

  private TenantComparison(Tenant tenant, Tenant.Wanted wanted) {
    this.tenant = tenant;
    this.wanted = wanted;
    this.subscriber = Subscriber.open(tenant.user().gateway(), wanted.request());
  }

  static TenantComparison begin(Tenant tenant, Tenant.Wanted wanted) {
    TenantComparison comparison = new TenantComparison(tenant, wanted);
    Map<String, String> selectors = new HashMap<>();
    if (!wanted.labels().isEmpty()) {
      selectors.put("labelSelector", wanted.labels());
    }
    if (!wanted.fields().isEmpty()) {
      selectors.put("fieldSelector", wanted.fields());
    }
    for (String namespace : wanted.namespaces().isEmpty() ? List.of("") : wanted.namespaces()) {
      comparison.watch(tenant.user().direct(), namespace, selectors, comparison.direct);
      comparison.watch(tenant.user().proxied(), namespace, selectors, comparison.proxied);
    }
    return comparison;
  }

  private void watch(
      Cluster at, String namespace, Map<String, String> selectors, List<ObservedChange> changes) {
    watches.add(
        DirectWatch.start(
            at, wanted.type().resource(), namespace, selectors, new Listener(changes)));
  }

  private final class Listener implements DirectWatch.Listener {
    private final List<ObservedChange> changes;

    Listener(List<ObservedChange> changes) {
      this.changes = changes;
    }

    @Override
    public void listed(long resourceVersion, List<JsonNode> objects) {
      lists.add(resourceVersion + ": " + objects.size());
    }

    @Override
    public void changed(DirectEvent event) {
      changes.add(
          new ObservedChange(event.change().name(), event.resourceVersion(), event.object()));
    }
  }

  void awaitBegun() {
    subscriber.begun();
  }

  boolean isListed() {
    return lists.size() >= watches.size();
  }

  /** Closes the stream and resumes from its last token. */
  void reopen() {
    subscriber.close();
    subscriber.end();
    subscriber = subscriber.resume(tenant.user().gateway());
  }

  /** Returns the changes from the apiserver, in the order in which they happened. */
  List<ObservedChange> direct() {
    return sorted(direct);
  }

  /** Returns the changes from the gateway over the Kubernetes API, in the same order. */
  List<ObservedChange> proxied() {
    return sorted(proxied);
  }

  private static List<ObservedChange> sorted(List<ObservedChange> changes) {
    List<ObservedChange> sorted = new ArrayList<>(changes);
    sorted.sort(Comparator.comparingLong(ObservedChange::version));
    return sorted;
  }

  /** Returns the changes from the gateway over gRPC. */
  List<ObservedChange> received() {
    return subscriber.fold().changes().stream().map(ObservedChange::of).toList();
  }

  /** Returns violations: a broken rule, another list, an end. */
  List<String> complaints() {
    List<String> complaints = new ArrayList<>(subscriber.fold().violations());
    if (lists.size() != watches.size()) {
      complaints.add("listed " + lists);
    }
    watches.stream()
        .map(DirectWatch::failure)
        .filter(failure -> failure != null)
        .forEach(failure -> complaints.add(String.valueOf(failure)));
    if (subscriber.isOver()) {
      complaints.add(subscriber.end().toString());
    }
    return complaints;
  }

  Tenant tenant() {
    return tenant;
  }

  Subscriber subscriber() {
    return subscriber;
  }

  Tenant.Wanted wanted() {
    return wanted;
  }

  @Override
  public String toString() {
    return tenant.user() + " with " + wanted;
  }

  @Override
  public void close() {
    subscriber.close();
    watches.forEach(DirectWatch::close);
  }
}
