package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

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
    this.style = style == RowStyle.COLOURS ? style : RowStyle.SIGNS;
    this.known = new BodyCache(maxBytes);
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder text = new StringBuilder();
    for (WatchEvent event : events) {
      append(text, part, event);
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
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

  private void appendTitle(StringBuilder text, Part part, WatchEvent event, String remark) {
    JsonView object = JsonView.of(event.getObject().toByteArray());
    String namespace = event.getKey().getNamespace();
    String title =
        NameOutput.name(event, object)
            + (namespace.isEmpty() ? "" : " in " + namespace)
            + " at version "
            + event.getResourceVersion()
            + remark;
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
}
