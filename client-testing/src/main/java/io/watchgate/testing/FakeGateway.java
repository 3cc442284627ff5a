package io.watchgate.testing;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A gateway of one type, in this process. Namespaces are selected as by a gateway; a request with
 * label or field selectors is refused, since nothing here reads objects. Thread-safe.
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
      throw new UncheckedIOException(e); // not in one process
    }
  }

  /** One that holds nothing. */
  public static FakeGateway start() {
    return new FakeGateway();
  }

  /** What connects to it; another one each time. */
  public ManagedChannelBuilder<?> channel() {
    return InProcessChannelBuilder.forName(name);
  }

  // ---- what happens in the cluster

  /**
   * An object is created or changed.
   *
   * @param json what is sent of it, as it is
   * @return its resourceVersion
   */
  public String put(String namespace, String objectName, String json) {
    return service.put(namespace, objectName, json);
  }

  /**
   * An object is deleted; one of that name which is put later has another uid.
   *
   * @throws IllegalStateException if it is not there
   */
  public void delete(String namespace, String objectName) {
    service.delete(namespace, objectName);
  }

  /** The version of the last of these. */
  public String resourceVersion() {
    return service.version();
  }

  // ---- what happens to streams

  /** All streams end as if the connection had been lost. */
  public void cut() {
    service.end(Status.UNAVAILABLE.withDescription("cut by the test"), "", "");
  }

  /**
   * All streams end with an error of a gateway's.
   *
   * @param reason a name of ErrorReason without its prefix; empty: as a proxy ends them, without
   *     reason and action
   * @param action RESUME, RESTART or STOP
   */
  public void end(Status.Code code, String reason, String action) {
    service.end(code.toStatus().withDescription("ended by the test"), reason, action);
  }

  /** Whoever comes is refused like that, until {@link #admit}. */
  public void refuse(Status.Code code, String reason, String action) {
    service.refuse(code.toStatus().withDescription("refused by the test"), reason, action);
  }

  /** Whoever comes is admitted again. */
  public void admit() {
    service.admit();
  }

  /** Tokens of before lead to a snapshot, as where a gateway does not know their past any more. */
  public void expireTokens() {
    service.forget(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
  }

  /** The same, as where the cluster was restored from a backup: versions of before do not count. */
  public void loseHistory() {
    service.forget(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
  }

  /** Everybody who has a stream is told that nothing happened. */
  public void bookmark() {
    service.bookmark();
  }

  /** Everybody who has a stream is sent this, whatever it is. */
  public void send(ListAndWatchResponse response) {
    service.send(response);
  }

  // ---- what was asked

  /** The requests of all streams that there were, the refused ones too. */
  public List<ListAndWatchRequest> requests() {
    return service.requests();
  }

  /** How many streams are open. */
  public int streams() {
    return service.streams();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
