package io.watchgate.kube;

import io.watchgate.balance.LoadRegistry;
import io.watchgate.balance.LoadRegistryException;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Registry with one Lease per replica, whose annotation is the replica's stream count. The names of
 * the Leases begin with that of the group, and its label selects them. The validity of a Lease is
 * in {@link io.watchgate.balance.BalanceSettings}. Not thread-safe.
 */
public final class ReplicaLeases implements LoadRegistry {
  static final String GROUP = "watchgate.io/balance";
  static final String STREAMS = "watchgate.io/streams";

  /** Maximum number of replicas, far above real ones; further Leases are not read. */
  private static final int MAX_REPLICAS = 1_000;

  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final RawApiClient api;
  private final String collection;
  private final String group;
  private final String replica;
  private final Duration lease;

  /**
   * Creates the registry of one replica.
   *
   * @param api client whose calls end within a few seconds; the caller closes it
   * @param group letters, digits and -, the same for all replicas, at most 63 characters
   * @param replica this replica's name, of the same characters
   * @param lease validity of an entry, which is only informative
   */
  public ReplicaLeases(
      RawApiClient api, String namespace, String group, String replica, Duration lease) {
    this.api = api;
    this.collection = "apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
    this.group = group;
    this.replica = replica;
    this.lease = lease;
  }

  @Override
  public void publish(int streams) throws LoadRegistryException {
    String text =
        """
        {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
         "metadata":{"name":"%s","labels":{"%s":"%s"},"annotations":{"%s":"%d"}},
         "spec":{"holderIdentity":"%s","leaseDurationSeconds":%d,"renewTime":"%s"}}
        """
            .formatted(
                name(replica),
                GROUP,
                group,
                STREAMS,
                streams,
                replica,
                Math.max(1, lease.toSeconds()),
                MICROS.format(Instant.now()));
    try {
      try {
        api.send(RawApiClient.Message.merge(path(replica), text));
      } catch (KubeException e) {
        if (!(e.failure() instanceof UpstreamFailure.TypeGone)) {
          throw e;
        }
        api.send(RawApiClient.Message.create(collection, text));
      }
    } catch (KubeException e) {
      throw failed(e);
    }
  }

  @Override
  public List<Entry> entries() throws LoadRegistryException {
    String query =
        "?limit=" + MAX_REPLICAS + "&labelSelector=" + GROUP.replace("/", "%2F") + "%3D" + group;
    try {
      byte[] answer = api.send(RawApiClient.Message.get(collection + query));
      List<Entry> entries = new ArrayList<>();
      for (JsonDocument item : JsonDocument.parse(answer, 0, answer.length).objects("items")) {
        JsonDocument metadata = item.object("metadata");
        String holder = item.object("spec").text("holderIdentity");
        String streams = metadata.object("annotations").text(STREAMS);
        // Another Lease does not belong to a replica, or has no stream count.
        if (metadata.text("name").equals(name(holder)) && streams.matches("[0-9]{1,9}")) {
          entries.add(
              new Entry(holder, metadata.text("resourceVersion"), Integer.parseInt(streams)));
        }
      }
      return entries;
    } catch (KubeException e) {
      throw failed(e);
    } catch (JsonException e) {
      throw new LoadRegistryException("the list of Leases cannot be read: " + e.getMessage());
    }
  }

  @Override
  public void remove(String gone) throws LoadRegistryException {
    try {
      api.send(RawApiClient.Message.delete(path(gone)));
    } catch (KubeException e) {
      if (!(e.failure() instanceof UpstreamFailure.TypeGone)) {
        throw failed(e);
      }
    }
  }

  private String path(String of) {
    return collection + "/" + name(of);
  }

  private String name(String of) {
    return group + "-" + of;
  }

  private static LoadRegistryException failed(KubeException e) {
    return new LoadRegistryException(String.valueOf(e.getMessage()));
  }

  /** Removes this replica's entry. If that fails, other replicas detect the end by its silence. */
  public void withdraw() {
    try {
      remove(replica);
    } catch (LoadRegistryException e) {
      LoggerFactory.getLogger(ReplicaLeases.class)
          .debug("the Lease of this replica cannot be removed", e);
    }
  }
}
