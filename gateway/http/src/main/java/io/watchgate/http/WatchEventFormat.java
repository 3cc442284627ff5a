package io.watchgate.http;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.Position;
import io.watchgate.encode.WireFormat;
import io.watchgate.http.BookmarkObject.Mark;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.RemovalReason;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Format of the frames of a Kubernetes watch: {@code {"type":"ADDED","object":...}}, one per line.
 * Most signals of gRPC have no frame. The position of a client is the version of the last object
 * that it was sent, so frames have no position of their own.
 */
final class WatchEventFormat implements WireFormat {
  private static final byte[] ADDED = head("ADDED");
  private static final byte[] MODIFIED = head("MODIFIED");
  private static final byte[] DELETED = head("DELETED");
  private static final byte[] BOOKMARK = head("BOOKMARK");
  private static final byte[] ERROR = head("ERROR");
  private static final byte[] TAIL = "}\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_POSITION = {};

  private final Frames frames;
  private final BookmarkObject bookmarkObject;
  private final ListOptions.Bookmarks bookmarks;

  /**
   * Creates a format.
   *
   * @param encoders encoders of the type
   * @param projection part of an object that {@code wanted} is made of: all of it, or all but
   *     managedFields
   */
  WatchEventFormat(
      ObjectEncoders encoders,
      ResponseFormat wanted,
      ObjectProjection projection,
      ListOptions.Bookmarks bookmarks) {
    this.frames = new Frames(encoders, wanted, projection, encoders.ofFrames(wanted));
    this.bookmarkObject = new BookmarkObject(encoders.resource().definition());
    this.bookmarks = bookmarks;
  }

  private static byte[] head(String type) {
    return ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the last frame of a watch that cannot be served. It is a Status in every format. */
  static byte[] error(StatusException refusal) {
    ByteBuilder out = new ByteBuilder(512);
    return out.append(ERROR).append(HttpJsonText.of(refusal.status())).append(TAIL).toArray();
  }

  @Override
  public ObjectProjection projection() {
    return frames.projection;
  }

  @Override
  public EventEncoder events() {
    return frames;
  }

  @Override
  public byte[] position(Position position) {
    return NO_POSITION;
  }

  @Override
  public ByteSlices signal(@Nullable Position position, ListAndWatchResponse signal) {
    if (position == null || bookmarks == ListOptions.Bookmarks.NONE) {
      return ByteSlices.EMPTY;
    }
    if (signal.hasSynced()) {
      return bookmark(position, Mark.INITIAL_EVENTS_END);
    }
    return signal.hasBookmark() || signal.hasGoingAway()
        ? bookmark(position, Mark.PROGRESS)
        : ByteSlices.EMPTY;
  }

  private ByteSlices bookmark(Position position, Mark mark) {
    return frames.frame(BOOKMARK, ByteSlices.of(bookmarkObject.at(position.version(), mark)));
  }

  @Override
  public String historyId() {
    return "";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WatchEventFormat that
        && bookmarks == that.bookmarks
        && frames.equals(that.frames);
  }

  @Override
  public int hashCode() {
    return Objects.hash(frames, bookmarks);
  }

  /** Encoder of the frames that have objects. */
  private static final class Frames implements EventEncoder {
    final ObjectProjection projection;
    private final ObjectEncoders encoders;
    private final ResponseFormat wanted;
    private final ObjectEncoder form;

    Frames(
        ObjectEncoders encoders,
        ResponseFormat wanted,
        ObjectProjection projection,
        ObjectEncoder form) {
      this.encoders = encoders;
      this.wanted = wanted;
      this.projection = projection;
      this.form = form;
    }

    ByteSlices frame(byte[] head, ByteSlices object) {
      ByteSlices body = form.slices(object);
      return new ByteSlices.Builder(2 + body.count()).add(head).add(body).add(TAIL).build();
    }

    @Override
    public ByteSlices present(EventType type, KubeObject object, @Nullable Instant received) {
      byte[] head = type == EventType.EVENT_TYPE_ADDED ? ADDED : MODIFIED;
      return frame(head, projection.body(object));
    }

    @Override
    public EncodedEvent modified(KubeObject old, KubeObject now, Instant received) {
      return EncodedEvent.of(present(EventType.EVENT_TYPE_MODIFIED, now, received));
    }

    @Override
    public ByteSlices removed(
        KubeObject last, String version, RemovalReason reason, @Nullable Instant received) {
      return frame(DELETED, projection.body(last, version));
    }

    @Override
    public EventEncoder omittingBodies() {
      return this;
    }

    @Override
    public EventEncoder withFullChanges() {
      return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Frames that
          && encoders.equals(that.encoders)
          && wanted.equals(that.wanted)
          && projection.equals(that.projection);
    }

    @Override
    public int hashCode() {
      return Objects.hash(encoders, wanted, projection);
    }
  }
}
