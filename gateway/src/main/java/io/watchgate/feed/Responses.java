package io.watchgate.feed;

import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Encodes what responses hold beside events. */
final class Responses {
  private Responses() {}

  /** Position and token, which end a response. */
  static Slices position(Tokens tokens, Position position) {
    return Slices.of(positioned(tokens, position).build().toByteArray());
  }

  static Slices bookmark(Tokens tokens, @Nullable Position position, Bookmark content) {
    return signal(tokens, position, response -> response.setBookmark(content));
  }

  /** A signal, with a position unless that is null. */
  static Slices signal(
      Tokens tokens, @Nullable Position position, Consumer<ListAndWatchResponse.Builder> signal) {
    ListAndWatchResponse.Builder response = positioned(tokens, position);
    signal.accept(response);
    return Slices.of(response.build().toByteArray());
  }

  private static ListAndWatchResponse.Builder positioned(
      Tokens tokens, @Nullable Position position) {
    ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
    if (position != null) {
      response
          .setResourceVersion(position.version().digits())
          .setResumeToken(tokens.encode(position));
    }
    return response;
  }
}
