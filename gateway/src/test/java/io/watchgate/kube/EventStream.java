package io.watchgate.kube;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import mockwebserver3.MockResponseBody;
import okio.BufferedSink;

/** Body of a watch that a test writes piece by piece. */
final class EventStream implements MockResponseBody {
  private static final String END = "";
  private final BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
  private final CountDownLatch refused = new CountDownLatch(1);

  EventStream send(String... text) {
    for (String piece : text) {
      pieces.add(piece);
    }
    return this;
  }

  EventStream frame(String type, String object) {
    return send("{\"type\":\"" + type + "\",\"object\":" + object + "}\n");
  }

  EventStream bookmark(String version, String annotations) {
    return frame(
        "BOOKMARK",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
            + version
            + "\""
            + annotations
            + "},\"spec\":{\"containers\":null},\"status\":{}}");
  }

  EventStream marker(String version) {
    return bookmark(version, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
  }

  /** Ends the body cleanly. */
  EventStream end() {
    pieces.add(END);
    return this;
  }

  /** Returns whether a write failed because the client had closed the response. */
  boolean isRefused() {
    return refused.getCount() == 0;
  }

  @Override
  public long getContentLength() {
    return -1;
  }

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    try {
      for (String piece = pieces.take(); !piece.equals(END); piece = pieces.take()) {
        sink.writeUtf8(piece);
        sink.flush();
      }
    } catch (IOException e) {
      refused.countDown();
      throw e;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
