package io.watchgate.encode;

import io.watchgate.proto.v1.ListAndWatchResponse;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Format of the responses of gRPC: each is a {@link ListAndWatchResponse}. */
public final class ListAndWatchFormat implements WireFormat {
  /** Tags of length-delimited fields; both lengths are below 128, so they take one byte. */
  private static final int VERSION_TAG =
      ListAndWatchResponse.RESOURCE_VERSION_FIELD_NUMBER << 3 | 2;

  private static final int TOKEN_TAG = ListAndWatchResponse.RESUME_TOKEN_FIELD_NUMBER << 3 | 2;

  private final SelectionTokens tokens;
  private final ProtoEventEncoder events;
  private final ObjectProjection projection;

  /**
   * Creates a format.
   *
   * @param tokens tokens of the selection and the projection
   */
  public ListAndWatchFormat(ObjectProjection projection, SelectionTokens tokens) {
    this.projection = projection;
    this.tokens = tokens;
    this.events = new ProtoEventEncoder(projection);
  }

  @Override
  public ObjectProjection projection() {
    return projection;
  }

  @Override
  public EventEncoder events() {
    return events;
  }

  /**
   * Returns position and token. They are the only bytes of a change that each feed has to itself,
   * so they are written directly, without a message object.
   */
  @Override
  public byte[] position(Position position) {
    String version = position.version().digits();
    int token = ResumeTokenFormat.size(position);
    ByteBuffer out = ByteBuffer.allocate(2 + version.length() + 2 + token);
    out.put((byte) VERSION_TAG).put((byte) version.length());
    ResumeTokenFormat.putDigits(version, out);
    out.put((byte) TOKEN_TAG).put((byte) token);
    tokens.write(position, out);
    return out.array();
  }

  @Override
  public ByteSlices signal(@Nullable Position position, ListAndWatchResponse signal) {
    byte[] content = signal.toByteArray();
    return position == null
        ? ByteSlices.of(content)
        : new ByteSlices.Builder(2).add(content).add(position(position)).build();
  }

  @Override
  public String historyId() {
    return tokens.historyId().text();
  }

  /**
   * Compares the projection only: the tokens follow from the projection and from the selection of
   * the feed.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ListAndWatchFormat that && projection.equals(that.projection);
  }

  @Override
  public int hashCode() {
    return projection.hashCode();
  }
}
