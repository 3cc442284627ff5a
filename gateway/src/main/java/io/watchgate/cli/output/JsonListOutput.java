package io.watchgate.cli.output;

import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One {@code List} as {@code kubectl get -o json} prints it, an item a line, the items' bytes as
 * they came. Its metadata stands behind the items: nothing is held back. Not thread-safe.
 */
public final class JsonListOutput implements EventOutput {
  private static final String HEAD = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n";

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
  public void finish(String resourceVersion) throws IOException {
    String head = before.equals(HEAD) ? HEAD : "\n";
    String end =
        head + "],\"metadata\":{\"resourceVersion\":" + new JsonPrimitive(resourceVersion) + "}}\n";
    out.write(end.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
