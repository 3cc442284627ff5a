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
 * Opens one stream after the other for the same wish: from its last token, an earlier one, another
 * kind of position or none, and each at the next of the places that serve it. Belongs to one
 * thread; what streams hear comes on others.
 */
final class CheckSubscriber {
  /** Positions are remembered up to so many, the oldest forgotten first. */
  private static final int REMEMBERED = 200;

  /** Streams that a report tells of. */
  private static final int TOLD = 3;

  private record Position(ByteString token, CheckedVersion version) {}

  private final String name;
  private final SubscriptionSpec wish;
  private final List<WatchServiceStub> places;
  private final boolean elsewhere;
  private final Random random;
  private final PatchBase bodies;
  private final List<StreamRecorder> all = new ArrayList<>();
  private final List<Position> positions = new ArrayList<>();
  private int next;
  private @Nullable StreamRecorder current;

  /**
   * @param first of the places, where it begins
   */
  CheckSubscriber(
      String name, SubscriptionSpec wish, List<WatchServiceStub> places, int first, Random random) {
    this.name = name;
    this.wish = wish;
    this.places = List.copyOf(places);
    this.elsewhere =
        places.stream().map(one -> one.getChannel().authority()).distinct().count() > 1;
    this.next = first;
    this.random = random;
    this.bodies = new PatchBase(wish);
  }

  SubscriptionSpec wish() {
    return wish;
  }

  /** Begins with a snapshot. */
  void start() {
    open(new StartSpec.WithSnapshot(), CheckedVersion.NONE, wish.request());
  }

  /**
   * Leaves the stream, wherever it is, and opens another one, anywhere.
   *
   * @param written a version of this type that was written
   */
  void moveOn(CheckedVersion written) {
    remember();
    leave();
    int choice = random.nextInt(10);
    if (positions.isEmpty() || choice == 0) {
      CheckedVersion minimum = random.nextBoolean() ? written : CheckedVersion.NONE;
      ListAndWatchRequest.Builder request = wish.request();
      if (!minimum.equals(CheckedVersion.NONE)) {
        request.setMinimumResourceVersion(minimum.toString());
      }
      open(new StartSpec.WithSnapshot(), minimum, request);
    } else if (wish.changes() == SubscriptionSpec.Changes.PATCHES || choice < 6) {
      // Patches are for whoever holds the state of the token, and that is the last one's.
      resume(positions.getLast());
    } else if (choice < 8) {
      resume(pick());
    } else if (choice == 8) {
      CheckedVersion version = pick().version();
      open(
          new StartSpec.AtVersion(version),
          CheckedVersion.NONE,
          wish.request().setResourceVersion(version.toString()));
    } else {
      open(
          new StartSpec.FromNow(),
          CheckedVersion.NONE,
          wish.request().setFromNow(FromNow.getDefaultInstance()));
    }
  }

  /** After an end that was the other side's: as its action says. */
  void goOn(String action) {
    remember();
    leave();
    if (positions.isEmpty() || action.equals("RESTART")) {
      positions.clear();
      bodies.clear();
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
        wish.request().setResumeToken(at.token()));
  }

  private void open(StartSpec start, CheckedVersion minimum, ListAndWatchRequest.Builder request) {
    StreamRecorder hearing =
        new StreamRecorder(
            name + ", stream " + (all.size() + 1),
            String.valueOf(places.get(next).getChannel().authority()),
            wish,
            start,
            minimum,
            bodies);
    all.add(hearing);
    current = hearing;
    places.get(next).listAndWatch(request.build(), hearing);
    next = (next + 1) % places.size();
  }

  /** Keeps the stream's last position, to go on from there at some time. */
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
      if (positions.size() > REMEMBERED) {
        positions.removeFirst();
      }
    }
  }

  /** Whether the next stream may be at another gateway, and not just on another connection. */
  boolean hasElsewhere() {
    return elsewhere;
  }

  void leave() {
    if (current != null) {
      current.cancel();
    }
  }

  /** The stream that is open, or ended last. */
  @Nullable StreamRecorder current() {
    return current;
  }

  /** A paragraph: its last streams, the present one first. */
  String story() {
    List<StreamRecorder> last =
        new ArrayList<>(all.subList(Math.max(0, all.size() - TOLD), all.size()));
    return last.reversed().stream()
        .map(StreamRecorder::story)
        .collect(Collectors.joining("\n  before: "));
  }

  List<StreamRecorder> hearings() {
    return List.copyOf(all);
  }

  List<Session> sessions(String history) {
    return all.stream().map(hearing -> hearing.session(history)).toList();
  }
}
