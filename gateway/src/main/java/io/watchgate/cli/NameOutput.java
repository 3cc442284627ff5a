package io.watchgate.cli;

import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** A line {@code pod/NAME} or {@code deployment.apps/NAME} for each event, as kubectl. */
record NameOutput(OutputStream out) implements EventOutput {
  @Override
  public void write(List<WatchEvent> events) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (WatchEvent event : events) {
      JsonView object = JsonView.of(event.getObject().toByteArray());
      lines.append(object.get("kind").text().toLowerCase(Locale.ROOT));
      String apiVersion = object.get("apiVersion").text();
      int slash = apiVersion.indexOf('/');
      if (slash > 0) {
        lines.append('.').append(apiVersion, 0, slash);
      }
      lines.append('/').append(event.getKey().getName()).append('\n');
    }
    out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
