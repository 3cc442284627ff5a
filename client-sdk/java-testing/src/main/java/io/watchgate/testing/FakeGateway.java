package io.watchgate.testing;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * In-process gateway of one resource type, for tests. Namespaces are selected as by a gateway; a
 * request with label or field selectors is refused, because the fake does not parse objects.
 * Thread-safe.
 *
 * <pre>{@code
 * try (FakeGateway gateway = FakeGateway.start();
 *     WatchClient client =
 *         WatchClient.to("fake", 1).transport((host, port) -> gateway.channel()).build()) {
 *   gateway.put("shop", "web", "{}");
 *   ...
 *   gateway.cut();
 * }
 * }</pre>
 */
public final class FakeGateway implements AutoCloseable {
  private final String name = InProcessServerBuilder.generateName();
  private final FakeService service = new FakeService();
  private final Server server;

  private FakeGateway() {
    try {
      server = InProcessServerBuilder.forName(name).addService(service).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // impossible in one process
    }
  }

  /** Starts a gateway without objects. */
  public static FakeGateway start() {
    return new FakeGateway();
  }

  /** Returns a new channel builder that connects to the gateway. */
  public ManagedChannelBuilder<?> channel() {
    return InProcessChannelBuilder.forName(name);
  }

  // ---- changes of the cluster

  /**
   * Creates or changes an object.
   *
   * @param json content of the object, sent unchanged
   * @return its resourceVersion
   */
  public String put(String namespace, String objectName, String json) {
    return service.put(namespace, objectName, json);
  }

  /**
   * Deletes an object; a later object of the same name has another uid.
   *
   * @throws IllegalStateException if the object does not exist
   */
  public void delete(String namespace, String objectName) {
    service.delete(namespace, objectName);
  }

  /** Returns the version of the last change. */
  public String resourceVersion() {
    return service.version();
  }

  // ---- faults and bookmarks

  /** Ends all streams as if the connection had been lost. */
  public void cut() {
    service.end(Status.UNAVAILABLE.withDescription("cut by the test"), "", "");
  }

  /**
   * Ends all streams with an error of a gateway.
   *
   * @param reason a name of ErrorReason without its prefix; empty: an error of a proxy, without
   *     reason and action
   * @param action RESUME, RESTART or STOP
   */
  public void endAll(Status.Code code, String reason, String action) {
    service.end(code.toStatus().withDescription("ended by the test"), reason, action);
  }

  /** Refuses new streams with this error until {@link #admit}. */
  public void refuse(Status.Code code, String reason, String action) {
    service.refuse(code.toStatus().withDescription("refused by the test"), reason, action);
  }

  /** Admits new streams again. */
  public void admit() {
    service.admit();
  }

  /**
   * Invalidates all current tokens: resuming leads to a snapshot, as if the gateway no longer had
   * the history.
   */
  public void expireTokens() {
    service.expireTokens();
  }

  /**
   * Invalidates all current tokens and versions, as if the cluster had been restored from a backup.
   * Open streams get a snapshot, as of a gateway.
   */
  public void loseHistory() {
    service.loseHistory();
  }

  /** Sends a bookmark to all streams. */
  public void bookmark() {
    service.bookmark();
  }

  /** Sends an arbitrary response to all streams. */
  public void send(ListAndWatchResponse response) {
    service.send(response);
  }

  // ---- recorded requests

  /** Returns the requests of all streams so far, including refused ones. */
  public List<ListAndWatchRequest> requests() {
    return service.requests();
  }

  /** Returns the number of open streams. */
  public int streamCount() {
    return service.streams();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
