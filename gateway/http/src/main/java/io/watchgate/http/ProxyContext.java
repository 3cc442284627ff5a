package io.watchgate.http;

import io.watchgate.auth.AccessController;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.relay.Relay;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Dependencies of a caching proxy.
 *
 * @param relay connection to the apiserver for everything that is not answered from a cache
 */
public record ProxyContext(
    Types types,
    Access access,
    WatchFanout fanout,
    Relay relay,
    ProxyMetrics metrics,
    ProxySettings settings) {

  /**
   * Types of the cluster.
   *
   * @param isOpen whether a type is open
   * @param isServed whether a type may be served; secrets only if they are named
   * @param admission opens a type, or refuses while memory is short or the gateway ends
   */
  public record Types(
      Cluster cluster,
      Predicate<ApiResource> isOpen,
      Predicate<ApiResource> isServed,
      ReadAdmission admission) {}

  /** Admission of reads to a type. */
  public interface ReadAdmission {
    /**
     * Opens the type, or adds a lease if it is open.
     *
     * @throws ApiException MEMORY, or DRAINING
     */
    TypeLease admit(TypeDefinition definition) throws ApiException;
  }

  /**
   * Limits and log of the callers.
   *
   * @param certificates whether a client's certificate, with those after it, leads to an authority
   * @param streams limit of watches, and of other answers from caches while they are sent, which
   *     counts the streams and calls of gRPC as well
   * @param answers admission of answers from caches that are no watches
   * @param relays limit of relayed requests
   * @param endedStreams watches from caches that have ended, and reads that were refused, for
   *     operators
   */
  public record Access(
      AccessController controller,
      Predicate<List<X509Certificate>> certificates,
      SlotLimit streams,
      AnswerAdmission answers,
      SlotLimit relays,
      ProxyAudit audit,
      EndedStreams endedStreams) {}

  /** Limit of something that clients do at the same time. Thread-safe. */
  public interface SlotLimit {
    /**
     * Takes a slot.
     *
     * @return function that gives the slot back; a second call does nothing
     * @throws ApiException QUOTA if there is none
     */
    Runnable acquire(@Nullable SocketAddress client) throws ApiException;
  }
}
