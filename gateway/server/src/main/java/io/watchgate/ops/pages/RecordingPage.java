package io.watchgate.ops.pages;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Semaphore;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.jspecify.annotations.Nullable;

/**
 * Action that records the process with the JDK's flight recorder, and answers the file. There is
 * one recording at a time. Its bytes are in the temporary folder until the answer is sent, or
 * cannot be sent.
 */
public final class RecordingPage implements DebugPage.Action {
  public static final String PATH = "/debug/jfr";

  static final int DEFAULT_SECONDS = 30;
  private static final int MAX_SECONDS = 300;

  /** Longest time of a recording. */
  public static final Duration MAX_TIME = Duration.ofSeconds(MAX_SECONDS);

  /**
   * Bytes of a recording, of which the oldest are dropped. The recorder exceeds them by the part
   * that it writes, 12 MiB at most. The temporary folder of a pod has 64 MiB.
   */
  static final long MAX_BYTES = 16 << 20;

  /**
   * Events of the JDK that are left out, because they have environment variables, options and
   * command lines, of this process and of others of the machine, or texts of exceptions.
   */
  private static final List<String> LEFT_OUT =
      List.of(
          "jdk.InitialEnvironmentVariable",
          "jdk.InitialSystemProperty",
          "jdk.InitialSecurityProperty",
          "jdk.JVMInformation",
          "jdk.SystemProcess",
          "jdk.ProcessStart",
          "jdk.JavaErrorThrow",
          "jdk.JavaExceptionThrow");

  /**
   * Sample of a thread by its CPU time (JEP 509, Linux only), off by default. The ordinary samples
   * miss most of an event loop: they are of Java code alone, and half of its CPU is the kernel's.
   */
  private static final String CPU_SAMPLE = "jdk.CPUTimeSample";

  private static final String CPU_SAMPLE_RATE = "500/s";

  private final Semaphore free = new Semaphore(1);
  private volatile Instant busyUntil = Instant.EPOCH;

  /** Returns the page with its path and its parameter. */
  public DebugPage page() {
    return new DebugPage(
        PATH,
        DebugPage.Access.GUARDED,
        DebugPage.Parameter.texts("seconds"),
        "By POST with Content-Type: application/json: records the process for seconds="
            + DEFAULT_SECONDS
            + " (1 to "
            + MAX_SECONDS
            + "), and answers the file of the JDK's flight recorder.",
        this);
  }

  @Override
  public DebugPage.Download make(PageQuery query) throws PageException, InterruptedException {
    int seconds = query.number("seconds", DEFAULT_SECONDS, 1, MAX_SECONDS);
    if (!FlightRecorder.isAvailable()) {
      throw PageException.unavailable("this Java runtime has no flight recorder");
    }
    if (!free.tryAcquire()) {
      throw PageException.conflict(
          "another recording is being made, until about " + busyUntil + "; try again after that");
    }
    Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    busyUntil = begin.plusSeconds(seconds + 1L);
    Recording recording = null;
    boolean isMade = false;
    try {
      recording = newRecording();
      recording.start();
      Thread.sleep(Duration.ofSeconds(seconds));
      recording.stop();
      DebugPage.Download file =
          new DebugPage.Download(
              "watchgate-" + begin.toString().replace(":", "") + ".jfr", new Content(recording));
      isMade = true;
      return file;
    } catch (IOException e) {
      throw PageException.unavailable(
          "the flight recorder cannot use the temporary folder: " + e.getMessage());
    } finally {
      if (!isMade) {
        release(recording);
      }
    }
  }

  private static Recording newRecording() throws IOException {
    try {
      Recording recording = new Recording(Configuration.getConfiguration("default"));
      LEFT_OUT.forEach(recording::disable);
      recording.enable(CPU_SAMPLE).with("throttle", CPU_SAMPLE_RATE);
      recording.setName("watchgate");
      recording.setToDisk(true);
      recording.setMaxSize(MAX_BYTES);
      return recording;
    } catch (ParseException e) {
      throw new IllegalStateException("the runtime's settings of the recorder are wrong", e);
    }
  }

  private void release(@Nullable Recording recording) {
    try {
      if (recording != null && recording.getState() != RecordingState.CLOSED) {
        recording.close();
      }
    } finally {
      free.release();
    }
  }

  /** Bytes of a recording, which are deleted when it is closed. */
  private final class Content extends FilterInputStream {
    private final Recording recording;
    private boolean isOpen = true;

    Content(Recording recording) throws IOException {
      super(stream(recording));
      this.recording = recording;
    }

    private static InputStream stream(Recording recording) throws IOException {
      InputStream bytes = recording.getStream(null, null);
      if (bytes == null) {
        throw new IOException("nothing was written to it");
      }
      return bytes;
    }

    @Override
    public void close() throws IOException {
      if (!isOpen) {
        return;
      }
      isOpen = false;
      try {
        super.close();
      } finally {
        release(recording);
      }
    }
  }
}
