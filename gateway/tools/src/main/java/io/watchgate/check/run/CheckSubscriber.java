package io.watchgate.check.run;

import com.google.protobuf.ByteString;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.Session;
import io.watchgate.check.StartSpec;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceStub;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Subscriber that opens one stream after the other with the same {@link SubscriptionSpec}, each at
 * the next of the gateways. A stream begins at the last token, at an earlier token, at another kind
 * of position, or with a snapshot. Confined to one thread; streams receive their messages on other
 * threads.
 */
final class CheckSubscriber {
  /** Maximum number of remembered positions; the oldest is dropped first. */
  private static final int MAX_POSITIONS = 200;

  /** Maximum number of streams in a report. */
  private static final int MAX_REPORTED_STREAMS = 3;

  private record Position(ByteString token, CheckedVersion version) {}

  private final String name;
  private final SubscriptionSpec spec;
  private final List<WatchServiceStub> gateways;
  private final boolean multipleGateways;
  private final Random random;
  private final PatchBase patchBase;
  private final List<StreamRecorder> recorders = new ArrayList<>();
  private final List<Position> positions = new ArrayList<>();
  private int nextGateway;
  private @Nullable StreamRecorder current;

  /**
   * @param first index of the gateway in {@code gateways} at which the first stream is opened
   */
  CheckSubscriber(
      String name,
      SubscriptionSpec spec,
      List<WatchServiceStub> gateways,
      int first,
      Random random) {
    this.name = name;
    this.spec = spec;
    this.gateways = List.copyOf(gateways);
    this.multipleGateways =
        gateways.stream().map(one -> one.getChannel().authority()).distinct().count() > 1;
    this.nextGateway = first;
    this.random = random;
    this.patchBase = new PatchBase(spec);
  }

  SubscriptionSpec spec() {
    return spec;
  }

  /** Opens the first stream, with a snapshot. */
  void start() {
    open(new StartSpec.WithSnapshot(), CheckedVersion.NONE, spec.request());
  }

  /**
   * Leaves the stream at its current point, and opens another stream with a random start.
   *
   * @param written a version of a write to this type
   */
  void switchStream(CheckedVersion written) {
    // In this order: objects of a response after the last remembered token would be held.
    leave();
    remember();
    int choice = random.nextInt(10);
    if (positions.isEmpty() || choice == 0) {
      CheckedVersion minimum = random.nextBoolean() ? written : CheckedVersion.NONE;
      ListAndWatchRequest.Builder request = spec.request();
      if (!minimum.equals(CheckedVersion.NONE)) {
        request.setMinimumResourceVersion(minimum.toString());
      }
      open(new StartSpec.WithSnapshot(), minimum, request);
    } else if (spec.changes() == SubscriptionSpec.Changes.PATCHES || choice < 6) {
      // A patch requires the state at the token, and only the state at the last token is kept.
      resume(positions.getLast());
    } else if (choice < 8) {
      resume(pick());
    } else if (choice == 8) {
      CheckedVersion version = pick().version();
      open(
          new StartSpec.AtVersion(version),
          CheckedVersion.NONE,
          spec.request().setResourceVersion(version.toString()));
    } else {
      open(
          new StartSpec.FromNow(),
          CheckedVersion.NONE,
          spec.request().setFromNow(FromNow.getDefaultInstance()));
    }
  }

  /** Opens the next stream after the server has ended one, as the action of that end requires. */
  void continueAfterEnd(String action) {
    // In this order: objects of a response after the last remembered token would be held.
    leave();
    remember();
    if (positions.isEmpty() || action.equals("RESTART")) {
      positions.clear();
      patchBase.clear();
      start();
    } else {
      resume(positions.getLast());
    }
  }

  private Position pick() {
    return positions.get(random.nextInt(positions.size()));
  }

  private void resume(Position at) {
    open(
        new StartSpec.AtToken(at.version()),
        CheckedVersion.NONE,
        spec.request().setResumeToken(at.token()));
  }

  private void open(StartSpec start, CheckedVersion minimum, ListAndWatchRequest.Builder request) {
    StreamRecorder hearing =
        new StreamRecorder(
            name + ", stream " + (recorders.size() + 1),
            String.valueOf(gateways.get(nextGateway).getChannel().authority()),
            spec,
            start,
            minimum,
            patchBase);
    recorders.add(hearing);
    current = hearing;
    gateways.get(nextGateway).listAndWatch(request.build(), hearing);
    nextGateway = (nextGateway + 1) % gateways.size();
  }

  /** Remembers the stream's last position, so that a later stream can resume there. */
  void remember() {
    StreamRecorder hearing = current;
    if (hearing != null && hearing.hasPosition()) {
      Position last;
      synchronized (hearing) {
        last = new Position(hearing.token(), hearing.version());
      }
      if (positions.isEmpty() || !positions.getLast().equals(last)) {
        positions.add(last);
      }
      if (positions.size() > MAX_POSITIONS) {
        positions.removeFirst();
      }
    }
  }

  /**
   * Returns whether the next stream may be at another gateway, and not only on another connection.
   */
  boolean hasOtherGateway() {
    return multipleGateways;
  }

  void leave() {
    if (current != null) {
      current.cancel();
    }
  }

  /** Returns the open stream, or the last one. */
  @Nullable StreamRecorder current() {
    return current;
  }

  /** Returns a paragraph on the last streams, the current one first. */
  String describe() {
    List<StreamRecorder> last =
        new ArrayList<>(
            recorders.subList(
                Math.max(0, recorders.size() - MAX_REPORTED_STREAMS), recorders.size()));
    return last.reversed().stream()
        .map(StreamRecorder::describe)
        .collect(Collectors.joining("\n  before: "));
  }

  List<StreamRecorder> recorders() {
    return List.copyOf(recorders);
  }

  List<Session> sessions(String history) {
    return recorders.stream().map(hearing -> hearing.session(history)).toList();
  }
}
