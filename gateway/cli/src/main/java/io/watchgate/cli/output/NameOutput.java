package io.watchgate.cli.output;

import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;

/**
 * Output with a line {@code pod/NAME} or {@code deployment.apps/NAME} for each event, as kubectl.
 */
public record NameOutput(OutputStream out, RowStyle style) implements EventOutput {
  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (WatchEvent event : events) {
      JsonView object = JsonView.of(event.getObject().toByteArray());
      lines
          .append(style.row(part, event.getType(), TerminalEscaper.inLine(name(event, object))))
          .append('\n');
    }
    EventOutput.print(out, lines);
  }

  /** Returns {@code deployment.apps/NAME}. */
  static String name(WatchEvent event, JsonView object) {
    String apiVersion = object.get("apiVersion").text();
    int slash = apiVersion.indexOf('/');
    String group = slash > 0 ? "." + apiVersion.substring(0, slash) : "";
    String kind = object.get("kind").text().toLowerCase(Locale.ROOT);
    return kind + group + "/" + event.getKey().getName();
  }
}
