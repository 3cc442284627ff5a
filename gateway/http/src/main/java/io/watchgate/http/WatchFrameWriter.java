package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.BookmarkObject.Mark;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;

/** Encoder of the frames of one watch: {@code {"type":"ADDED","object":...}}, one per line. */
final class WatchFrameWriter {
  private static final byte[] ADDED = head("ADDED");
  private static final byte[] MODIFIED = head("MODIFIED");
  private static final byte[] DELETED = head("DELETED");
  private static final byte[] BOOKMARK = head("BOOKMARK");
  private static final byte[] ERROR = head("ERROR");
  private static final byte[] TAIL = "}\n".getBytes(StandardCharsets.US_ASCII);

  private final ObjectEncoder form;
  private final BookmarkObject bookmarks;

  WatchFrameWriter(TypeDefinition definition, ObjectEncoder form) {
    this.form = form;
    this.bookmarks = new BookmarkObject(definition);
  }

  private static byte[] head(String type) {
    return ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
  }

  void added(KubeObject object, ByteBuilder out) {
    frame(ADDED, object.bytes(), out);
  }

  void modified(KubeObject object, ByteBuilder out) {
    frame(MODIFIED, object.bytes(), out);
  }

  /**
   * Appends the frame of an object that was deleted, or that does not match any more.
   *
   * @param old the last content that matched
   * @param version of the change
   */
  void deleted(KubeObject old, ResourceVersion version, ByteBuilder out) {
    byte[] digits = version.digits().getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = old.bytes();
    ByteBuilder object = new ByteBuilder(bytes.length + digits.length);
    object
        .append(bytes, 0, old.versionFrom())
        .append(digits)
        .append(bytes, old.versionTo(), bytes.length);
    frame(DELETED, object.toArray(), out);
  }

  void bookmark(ResourceVersion version, Mark mark, ByteBuilder out) {
    frame(BOOKMARK, bookmarks.at(version, mark), out);
  }

  /** Appends the last frame of a watch that cannot be served. It is a Status in every format. */
  static void error(StatusException refusal, ByteBuilder out) {
    out.append(ERROR).append(HttpJsonText.of(refusal.status())).append(TAIL);
  }

  private void frame(byte[] head, byte[] object, ByteBuilder out) {
    out.append(head);
    form.object(object, out);
    out.append(TAIL);
  }
}
