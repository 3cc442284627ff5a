package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.path.PathTemplate;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a template makes of each object, and a line end. On a terminal control characters are
 * written out; a program gets the values as they are.
 */
public record PathOutput(OutputStream out, PathTemplate template, RowStyle style)
    implements EventOutput {
  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (WatchEvent event : events) {
      JsonElement object = JsonView.of(event.getObject().toByteArray()).element();
      String text = template.apply(object == null ? JsonNull.INSTANCE : object);
      lines
          .append(
              style == RowStyle.PLAIN
                  ? text
                  : style.row(part, event.getType(), TerminalEscaper.inLines(text)))
          .append('\n');
    }
    out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
