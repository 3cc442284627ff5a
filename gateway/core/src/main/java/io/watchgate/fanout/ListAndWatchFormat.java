package io.watchgate.fanout;

import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Encoder of everything in a response but events. */
final class ListAndWatchFormat {
  /** Tags of length-delimited fields; both lengths are below 128, so they take one byte. */
  private static final int VERSION_TAG =
      ListAndWatchResponse.RESOURCE_VERSION_FIELD_NUMBER << 3 | 2;

  private static final int TOKEN_TAG = ListAndWatchResponse.RESUME_TOKEN_FIELD_NUMBER << 3 | 2;

  private ListAndWatchFormat() {}

  /**
   * Returns position and token, which end a response. They are the only bytes of a change that each
   * feed has to itself, so they are written directly, without a message object.
   */
  static byte[] position(ResumeTokenCodec tokenCodec, Position position) {
    String version = position.version().digits();
    int token = ResumeToken.size(position);
    ByteBuffer out = ByteBuffer.allocate(2 + version.length() + 2 + token);
    out.put((byte) VERSION_TAG).put((byte) version.length());
    ResumeToken.putDigits(version, out);
    out.put((byte) TOKEN_TAG).put((byte) token);
    tokenCodec.write(position, out);
    return out.array();
  }

  static ByteSlices bookmark(
      ResumeTokenCodec tokenCodec, @Nullable Position position, Bookmark content) {
    return signal(tokenCodec, position, response -> response.setBookmark(content));
  }

  /** Returns a response with a signal, and with a position unless it is null. */
  static ByteSlices signal(
      ResumeTokenCodec tokenCodec,
      @Nullable Position position,
      Consumer<ListAndWatchResponse.Builder> signal) {
    ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
    signal.accept(response);
    byte[] content = response.build().toByteArray();
    return position == null
        ? ByteSlices.of(content)
        : new ByteSlices.Builder(2).add(content).add(position(tokenCodec, position)).build();
  }
}
