package io.watchgate.bench;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One stream of the load generator. Requests all messages, records deliveries in a {@link
 * DeliveryTracker} and reports them to its connection. Confined to the connection's event loop,
 * unless noted.
 */
final class Reader extends ClientCall.Listener<RawResponseMarshaller>
    implements ResponseWalker.Visitor {
  private static final int ADDED = 1;
  private static final int MODIFIED = 2;
  private static final int WITHOUT_END = Integer.MAX_VALUE;

  private final Role role;
  private final DeliveryTracker tracker;
  private final ReaderConnection connection;
  private final CountDownLatch synced = new CountDownLatch(1);
  private final ResponseWalker walker = new ResponseWalker(this);
  private final CountDownLatch live = new CountDownLatch(1);
  private Phase phase = Phase.OPENING;
  private volatile byte[] token = {};
  private @Nullable ClientCall<byte[], RawResponseMarshaller> call;
  private volatile boolean closing;
  private volatile @Nullable Status endStatus;

  private enum Phase {
    OPENING,
    SNAPSHOT,
    LIVE,
    NET_EFFECT
  }

  /** Behavior of a reader once it is synced. */
  enum Role {
    /** Keeps reading, and must receive everything. */
    READS,
    /** Requests no more messages. */
    IDLES,
    /** Keeps reading and remembers its token, so that it can leave and return. */
    RETURNS
  }

  Reader(Role role, DeliveryTracker tracker, ReaderConnection connection) {
    this.role = role;
    this.tracker = tracker;
    this.connection = connection;
  }

  /** Opens the stream over an established connection. May be called from any thread. */
  void open(
      ManagedChannel channel,
      MethodDescriptor<byte[], RawResponseMarshaller> method,
      byte[] request) {
    ClientCall<byte[], RawResponseMarshaller> opened = channel.newCall(method, CallOptions.DEFAULT);
    call = opened;
    opened.start(this, new Metadata());
    opened.request(role == Role.IDLES ? 1 : WITHOUT_END);
    opened.sendMessage(request);
    opened.halfClose();
  }

  @Override
  public void onMessage(RawResponseMarshaller inbox) {
    connection.recorder().recordResponse(inbox.length());
    walker.walk(inbox.bytes(), inbox.length());
    ClientCall<byte[], RawResponseMarshaller> open = call;
    if (role == Role.IDLES && phase != Phase.LIVE && open != null) {
      open.request(1);
    }
  }

  @Override
  public void event(int type, byte[] in, int from, int to) {
    WriteStamp mark = connection.writeStamp();
    if ((type != ADDED && type != MODIFIED) || !mark.find(in, from, to)) {
      tracker.recordUnexpected();
      return;
    }
    long number = mark.number();
    switch (phase) {
      case SNAPSHOT -> {
        tracker.recordSnapshotObject(number);
        connection.recorder().recordSnapshotObject();
      }
      case NET_EFFECT -> {
        tracker.recordNetEffect(number);
        deliver(number, mark.scheduledNanos());
      }
      case LIVE, OPENING -> {
        tracker.recordChange(number);
        deliver(number, mark.scheduledNanos());
      }
    }
  }

  private void deliver(long number, long intended) {
    if (role != Role.IDLES) {
      connection.recorder().recordDelivery(intended);
      connection.share().readerReceived(number);
    }
  }

  @Override
  public void token(byte[] in, int from, int to) {
    if (phase == Phase.NET_EFFECT) {
      phase = Phase.LIVE;
    }
    if (role == Role.RETURNS) {
      token = Arrays.copyOfRange(in, from, to);
    }
  }

  @Override
  public void signal(int field, long objects) {
    switch (field) {
      case ResponseWalker.SNAPSHOT_STARTED -> {
        phase = Phase.SNAPSHOT;
        tracker.startSnapshot();
      }
      case ResponseWalker.SYNCED -> {
        phase = Phase.LIVE;
        tracker.endSnapshot(objects);
        synced.countDown();
        live.countDown();
      }
      case ResponseWalker.RESUMED -> {
        phase = Phase.LIVE;
        live.countDown();
      }
      case ResponseWalker.NET_EFFECT_STARTED -> phase = Phase.NET_EFFECT;
      default -> {}
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (!closing) {
      endStatus = status;
      synced.countDown();
      live.countDown();
      connection.readerEnded(status);
    }
  }

  /** Closes the stream. May be called from any thread. */
  void close() {
    closing = true;
    ClientCall<byte[], RawResponseMarshaller> open = call;
    if (open != null) {
      open.cancel("the run is over", null);
    }
  }

  /** Returns a latch that opens once the stream is synced or has ended. */
  CountDownLatch synced() {
    return synced;
  }

  /** Returns a latch that opens once the stream is live (synced or resumed) or has ended. */
  CountDownLatch live() {
    return live;
  }

  /** Returns the last token of a reader that returns; empty before the first token. */
  byte[] token() {
    return token.clone();
  }

  /** Returns the status of a stream that ended by itself, otherwise null. */
  @Nullable Status endStatus() {
    return endStatus;
  }

  /**
   * Returns the tracker. It is complete once the event loop has ended; earlier reads may be stale.
   */
  DeliveryTracker tracker() {
    return tracker;
  }

  /**
   * Waits for a latch of each reader.
   *
   * @throws IOException with the number of readers that are not ready in time
   */
  static void await(
      List<Reader> readers, Function<Reader, CountDownLatch> latch, long deadline, String what)
      throws IOException, InterruptedException {
    for (Reader reader : readers) {
      if (!latch.apply(reader).await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        long left = readers.stream().filter(each -> latch.apply(each).getCount() > 0).count();
        throw new IOException(
            left + " of " + readers.size() + " streams were not " + what + " in time");
      }
    }
  }
}
