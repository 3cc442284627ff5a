package io.watchgate.audit;

import io.watchgate.pem.FileErrors;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asynchronous writer of audit lines, on a thread of its own: the callers are event loops, which a
 * hanging disk must not block. At most {@link AuditSettings#MAX_QUEUED_LINES} lines are queued;
 * further lines are dropped and counted. Thread-safe.
 */
public final class AuditLineWriter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditLineWriter.class);
  private static final String END_MARKER = "";
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final int BUFFER_BYTES = 1 << 16;

  private final BlockingQueue<String> lines =
      new ArrayBlockingQueue<>(AuditSettings.MAX_QUEUED_LINES);
  private final AtomicLong lostLines = new AtomicLong();
  private final Sink sink;
  private final long closeLimitNs;
  private final Thread thread;
  private volatile boolean closed;
  private boolean isFailureLogged;

  /** Destination of lines. */
  private interface Sink extends Closeable {
    void write(String line) throws IOException;

    /** Called when the queue is empty. */
    void flush() throws IOException;
  }

  private AuditLineWriter(Sink sink, Duration closeLimit) {
    this.sink = sink;
    this.closeLimitNs = closeLimit.toNanos();
    this.thread = Thread.ofPlatform().daemon().name("audit").start(this::run);
  }

  /** Returns a writer to the logger {@code audit}. */
  public static AuditLineWriter toLog() {
    Logger audit = LoggerFactory.getLogger("audit");
    return new AuditLineWriter(
        new Sink() {
          @Override
          public void write(String line) {
            audit.info("{}", line);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        },
        CLOSE_LIMIT);
  }

  /**
   * Returns a writer that appends to a file, and creates the file if it does not exist.
   *
   * @throws IOException if the file cannot be written
   */
  public static AuditLineWriter toFile(Path file) throws IOException {
    return toFile(file, CLOSE_LIMIT);
  }

  /** Waits on closing for at most the limit: tests set minutes, for a loaded machine. */
  static AuditLineWriter toFile(Path file, Duration closeLimit) throws IOException {
    OutputStream out;
    try {
      out =
          new BufferedOutputStream(
              Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              BUFFER_BYTES);
    } catch (IOException e) {
      throw new IOException(
          "--audit-log: " + file + " cannot be written: " + FileErrors.ofWriting(e), e);
    }
    return new AuditLineWriter(
        new Sink() {
          @Override
          public void write(String line) throws IOException {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
          }

          @Override
          public void flush() throws IOException {
            out.flush();
          }

          @Override
          public void close() throws IOException {
            out.close();
          }
        },
        closeLimit);
  }

  /** Queues a line, without its line end. Drops and counts it if there is no room. */
  public void write(String line) {
    if ((closed || !lines.offer(line)) && lostLines.getAndIncrement() == 0) {
      log.warn("the audit log is too slow or closed; its lines are dropped and counted");
    }
  }

  /** Returns the number of lines lost. */
  public long lostLines() {
    return lostLines.get();
  }

  private void run() {
    try (sink) {
      String line = lines.take();
      while (!line.equals(END_MARKER)) {
        write(line, sink);
        line = lines.take();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.error("the audit log could not be closed", e);
    }
  }

  /**
   * Keeps the file open on a failure: later lines can be written once a full disk has space again.
   */
  private void write(String line, Sink to) {
    try {
      to.write(line);
    } catch (IOException e) {
      lostLines.incrementAndGet();
      logFailureOnce(e);
    }
    try {
      if (lines.isEmpty()) {
        to.flush(); // on failure the buffer is kept, and retried with the next line
      }
    } catch (IOException e) {
      logFailureOnce(e);
    }
  }

  private void logFailureOnce(IOException e) {
    if (!isFailureLogged) {
      isFailureLogged = true;
      log.error(
          "the audit log cannot be written; lines for which there is no room are dropped and"
              + " counted",
          e);
    }
  }

  /** Writes the queued lines, for at most 2 s. */
  @Override
  public void close() {
    closed = true;
    try {
      long until = System.nanoTime() + closeLimitNs;
      if (lines.offer(END_MARKER, closeLimitNs, TimeUnit.NANOSECONDS)) {
        thread.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt(); // if it still writes
    lines.remove(END_MARKER);
    lostLines.addAndGet(lines.size());
  }
}
