package io.watchgate.admission;

import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Concurrency limit of streams, unary calls and cached answers over HTTP, in total and by {@link
 * ClientAddress} ({@link GatewayStreamLimits}). The limit of each user is {@code auth.UserQuotas}.
 * A stream has a slot from its beginning until the transport has released it, even if it sends no
 * request or does not read its status. The limit is exact. Thread-safe. The lock is held for a map
 * lookup, and for an iteration over the clients when metrics are read.
 */
public final class GatewayStreamLimiter {
  private final GatewayStreamLimits limits;
  private final Map<Object, Client> clients = new HashMap<>();
  private int usedSlots;

  public GatewayStreamLimiter(GatewayStreamLimits limits) {
    this.limits = limits;
  }

  /** Client with slots, by its {@link ClientAddress}. */
  private static final class Client {
    private final Object address;
    private int streams;

    private Client(Object address) {
      this.address = address;
    }
  }

  /** Slot of a stream, a unary call or a cached answer over HTTP. */
  public final class Slot {
    private final Client client;
    private boolean released;

    private Slot(Client client) {
      this.client = client;
    }

    /** Gives the slot back; a second call does nothing. */
    public void release() {
      synchronized (GatewayStreamLimiter.this) {
        if (released) {
          return;
        }
        released = true;
        usedSlots--;
        if (--client.streams == 0) {
          clients.remove(client.address);
        }
      }
    }
  }

  /**
   * Takes a slot, which has to be {@linkplain Slot#release released}.
   *
   * @param remote end of the connection; its port does not matter
   * @throws ApiException QUOTA; then nothing was taken
   */
  public Slot acquire(@Nullable SocketAddress remote) throws ApiException {
    Object address = ClientAddress.of(remote);
    synchronized (this) {
      Client client = clients.getOrDefault(address, new Client(address));
      if (usedSlots >= limits.total()) {
        throw new ApiException(LimitErrors.streams(limits.total(), usedSlots));
      }
      if (client.streams >= limits.perClient()) {
        throw new ApiException(
            LimitErrors.streamsOfClient(
                ClientAddress.text(address), limits.perClient(), client.streams));
      }
      clients.put(address, client);
      client.streams++;
      usedSlots++;
      return new Slot(client);
    }
  }

  /** Returns the slots in use: of streams that are open, being opened or ending, and of calls. */
  public synchronized int usedSlots() {
    return usedSlots;
  }

  /** Returns the slots of the client that has most. */
  public synchronized int maxUsedByOneClient() {
    return clients.values().stream().mapToInt(client -> client.streams).max().orElse(0);
  }
}
