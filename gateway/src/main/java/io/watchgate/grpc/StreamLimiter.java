package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ApiException;
import io.watchgate.fanout.QuotaViolation;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place for each stream, from its beginning until the transport has let go of it: also one that
 * sends no request, or does not read how it ended, takes up what is limited here. Exact: a place is
 * given only where there is one. Thread-safe; the lock is held for a look into a map, and for as
 * many as there are clients when metrics are asked for.
 */
public final class StreamLimiter {
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final StreamLimits limits;
  private final Map<Object, Client> clients = new HashMap<>();
  private int taken;

  public StreamLimiter(StreamLimits limits) {
    this.limits = limits;
  }

  /**
   * Who has places: an address, since a place is taken before anybody is asked who he is. Those
   * behind one address, such as a proxy's, are one client.
   */
  static final class Client {
    private final Object address;
    private int streams;

    private Client(Object address) {
      this.address = address;
    }
  }

  /**
   * Takes a place, which has to be {@linkplain #giveBack given back} once.
   *
   * @param remote end of the connection; its port does not matter
   * @throws ApiException QUOTA; then nothing was taken
   */
  Client take(@Nullable SocketAddress remote) throws ApiException {
    Object address = CallCredentials.address(remote);
    synchronized (this) {
      Client client = clients.getOrDefault(address, new Client(address));
      if (taken >= limits.total()) {
        throw refused(
            new QuotaViolation("streams", "open streams", limits.total(), taken),
            "this gateway has "
                + limits.total()
                + " open streams, as many as it may have. Try again later, or on another replica;"
                + " its operator allows more with --max-streams.");
      }
      if (client.streams >= limits.perClient()) {
        throw refused(
            new QuotaViolation(
                "streams:client", "open streams of one client", limits.perClient(), client.streams),
            CallCredentials.text(address)
                + " has "
                + limits.perClient()
                + " open streams here, as many as one address may have. Open fewer, or some on"
                + " other replicas; this gateway's operator allows more with"
                + " --max-streams-per-client.");
      }
      clients.put(address, client);
      client.streams++;
      taken++;
      return client;
    }
  }

  private static ApiException refused(QuotaViolation quota, String message) {
    return new ApiException(ApiError.quota(quota, RETRY, message));
  }

  synchronized void giveBack(Client client) {
    if (client.streams == 0) {
      throw new IllegalStateException("a place was given back twice");
    }
    taken--;
    if (--client.streams == 0) {
      clients.remove(client.address);
    }
  }

  public StreamLimits limits() {
    return limits;
  }

  /** By streams that are open, being opened, or ending. */
  public synchronized int taken() {
    return taken;
  }

  /** By the client that has most. */
  public synchronized int mostTakenByOne() {
    return clients.values().stream().mapToInt(client -> client.streams).max().orElse(0);
  }
}
