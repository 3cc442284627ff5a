package io.watchgate.cli.output;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Output of one {@code List} as {@code kubectl get -o json} prints it, one item per line, with the
 * items' bytes as received. Its metadata follows the items, so that nothing is buffered. An
 * annotation of the list has the age of the state, a second one the failure that keeps the gateway
 * from the apiserver; clients of Kubernetes ignore both. Not thread-safe.
 */
public final class JsonListOutput implements EventOutput {
  private static final String HEAD = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n";

  private static final String STALENESS = "watchgate.io/staleness";
  private static final String UPSTREAM_ERROR = "watchgate.io/upstream-error";

  private final OutputStream out;
  private String before = HEAD;

  public JsonListOutput(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(Part part, List<WatchEvent> objects) throws IOException {
    ByteString.Output items = ByteString.newOutput();
    for (WatchEvent object : objects) {
      items.write(before.getBytes(StandardCharsets.UTF_8));
      object.getObject().writeTo(items);
      before = ",\n";
    }
    items.toByteString().writeTo(out);
    out.flush();
  }

  @Override
  public void finish(ListEnd end) throws IOException {
    JsonObject annotations = new JsonObject();
    annotations.addProperty(STALENESS, seconds(end.age().toSeconds(), end.age().toMillisPart()));
    if (!end.upstreamError().isEmpty()) {
      annotations.addProperty(UPSTREAM_ERROR, end.upstreamError());
    }
    JsonObject metadata = new JsonObject();
    if (!end.resourceVersion().isEmpty()) {
      metadata.addProperty("resourceVersion", end.resourceVersion());
    }
    metadata.add("annotations", annotations);
    String text = (before.equals(HEAD) ? HEAD : "\n") + "],\"metadata\":" + metadata + "}\n";
    EventOutput.print(out, text);
  }

  /** Returns a duration in protobuf's JSON format: {@code 75.250s}. */
  public static String seconds(long seconds, int millis) {
    return String.format(Locale.ROOT, "%d.%03ds", seconds, millis);
  }
}
