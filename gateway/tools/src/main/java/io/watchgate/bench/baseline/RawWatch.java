package io.watchgate.bench.baseline;

import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawAnswer;
import io.watchgate.kube.RawApiClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch that is read line by line on a thread of its own until it ends. */
final class RawWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RawWatch.class);
  private static final long JOIN_MILLIS = 1_000;
  private static final int BUFFER = 64 << 10;

  private final String path;
  private final RawAnswer stream;
  private final Consumer<byte[]> lines;
  private final Thread thread = Thread.ofPlatform().daemon().name("upstream").unstarted(this::read);

  private RawWatch(String path, RawAnswer stream, Consumer<byte[]> lines) {
    this.path = path;
    this.stream = stream;
    this.lines = lines;
  }

  /**
   * Starts reading; returns once the apiserver has answered.
   *
   * @param lines called with each line, without its line end, on the reading thread
   */
  static RawWatch open(RawApiClient api, String path, Consumer<byte[]> lines) throws KubeException {
    RawWatch watch = new RawWatch(path, api.open(RawApiClient.Message.get(path)), lines);
    watch.thread.start();
    return watch;
  }

  private void read() {
    byte[] buffer = new byte[BUFFER];
    ByteArrayOutputStream begun = new ByteArrayOutputStream();
    try (InputStream body = stream.body()) {
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        int from = 0;
        for (int at = 0; at < read; at++) {
          if (buffer[at] == '\n') {
            begun.write(buffer, from, at - from);
            lines.accept(begun.toByteArray());
            begun.reset();
            from = at + 1;
          }
        }
        begun.write(buffer, from, read - from);
      }
      log.info("the apiserver ended {}", path);
    } catch (IOException e) {
      log.debug("{} ended", path, e);
    }
  }

  /**
   * Ends the watch. Afterwards no line is delivered, unless its processing takes longer than a
   * second.
   */
  @Override
  public void close() {
    stream.close();
    try {
      thread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
