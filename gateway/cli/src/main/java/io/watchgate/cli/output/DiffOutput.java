package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Output with a line for each event and, for modifications, a line for each changed field. Keeps
 * the last body of each object for the comparison, up to {@value #MAX_BYTES} bytes. Not
 * thread-safe.
 */
public final class DiffOutput implements EventOutput {
  /** 64 MiB: about 20,000 pods. */
  public static final long MAX_BYTES = 64L << 20;

  private final OutputStream out;
  private final RowStyle style;
  private final BodyCache known;

  public DiffOutput(OutputStream out, RowStyle style) {
    this(out, style, MAX_BYTES);
  }

  DiffOutput(OutputStream out, RowStyle style, long maxBytes) {
    this.out = out;
    // Signs are part of a difference, also without a terminal.
    this.style = style == RowStyle.COLORS ? style : RowStyle.SIGNS;
    this.known = new BodyCache(maxBytes);
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder text = new StringBuilder();
    for (WatchEvent event : events) {
      append(text, part, event);
    }
    EventOutput.print(out, text);
  }

  @Override
  public void learn(List<WatchEvent> objects) {
    objects.forEach(known::replace);
  }

  private void append(StringBuilder text, Part part, WatchEvent event) {
    boolean deleted = event.getType() == EventType.EVENT_TYPE_DELETED;
    ByteString before = deleted ? known.forget(event) : known.replace(event);
    if (event.getType() != EventType.EVENT_TYPE_MODIFIED) {
      appendTitle(text, part, event, deleted ? removal(event.getRemovalReason()) : "");
    } else if (before == null) {
      appendTitle(text, part, event, " (its earlier state is not known)");
    } else {
      List<FieldChange> changes = ObjectDiff.between(json(before), json(event.getObject()));
      appendTitle(text, part, event, changes.isEmpty() ? " (nothing but its version)" : "");
      for (FieldChange change : changes) {
        text.append("    ").append(style.paint(change.type(), change.line())).append('\n');
      }
    }
  }

  private void appendTitle(StringBuilder text, Part part, WatchEvent event, String note) {
    JsonView object = JsonView.of(event.getObject().toByteArray());
    String namespace = event.getKey().getNamespace();
    String title =
        NameOutput.name(event, object)
            + (namespace.isEmpty() ? "" : " in " + namespace)
            + " at version "
            + event.getResourceVersion()
            + note;
    text.append(style.row(part, event.getType(), TerminalEscaper.inLine(title))).append('\n');
  }

  private static String removal(RemovalReason reason) {
    return switch (reason) {
      case REMOVAL_REASON_NO_LONGER_MATCHES -> " (no longer matches)";
      case REMOVAL_REASON_INFERRED -> " (found missing)";
      case REMOVAL_REASON_OBJECT_DELETED, REMOVAL_REASON_UNSPECIFIED, UNRECOGNIZED -> "";
    };
  }

  private static JsonElement json(ByteString body) {
    JsonElement parsed = JsonView.of(body.toByteArray()).element();
    return parsed == null ? JsonNull.INSTANCE : parsed;
  }

  /**
   * Last body of each object, up to a number of bytes. Above the limit, the objects with the oldest
   * change are evicted first. Not thread-safe.
   */
  private static final class BodyCache {
    private final long maxBytes;
    private final Map<ObjectKey, ByteString> bodies = new LinkedHashMap<>();
    private long bytes;

    BodyCache(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    /** Stores the event's body, and returns the previous one. */
    @Nullable ByteString replace(WatchEvent event) {
      ByteString before = forget(event);
      ByteString body = event.getObject();
      bodies.put(event.getKey(), body);
      bytes += body.size();
      var eldest = bodies.values().iterator();
      while (bytes > maxBytes && eldest.hasNext()) {
        bytes -= eldest.next().size();
        eldest.remove();
      }
      return before;
    }

    /** Removes the event's object, and returns its last body. */
    @Nullable ByteString forget(WatchEvent event) {
      ByteString before = bodies.remove(event.getKey());
      bytes -= before == null ? 0 : before.size();
      return before;
    }
  }
}
