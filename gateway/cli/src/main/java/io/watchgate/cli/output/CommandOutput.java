package io.watchgate.cli.output;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Output that runs a command for each event, sequentially, with the object on its stdin; its stdout
 * and stderr are inherited. An update is complete only when its last command has ended. So a slow
 * command slows the stream down, and nothing is queued here. {@link #close} ends a running command,
 * from any thread.
 */
public final class CommandOutput implements EventOutput {
  private static final long GRACE_SECONDS = 2;

  private static final Pattern EXEC_ERROR =
      Pattern.compile("error(?:=\\d+, |: \\d+ \\()([^()]+?)\\)?\\s*$");

  private final List<String> command;
  private final Thread closer = new Thread(this::end, "command");
  private @Nullable Process running;
  private boolean closed;

  /** Registers a shutdown hook that ends a running command. */
  public CommandOutput(List<String> command) {
    this.command = List.copyOf(command);
    Runtime.getRuntime().addShutdownHook(closer);
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    for (WatchEvent event : events) {
      run(event);
    }
  }

  private void run(WatchEvent event) throws IOException {
    Process process = start(event);
    try (OutputStream stdin = process.getOutputStream()) {
      event.getObject().concat(ByteString.copyFromUtf8("\n")).writeTo(stdin);
    } catch (IOException e) {
      // The command does not read its stdin, or has ended; only its status counts.
    }
    int status = await(process);
    synchronized (this) {
      running = null;
      if (closed) {
        throw new InterruptedIOException("the command was ended with the watch");
      }
    }
    if (status != 0) {
      throw failed("ended with status " + status, event);
    }
  }

  private synchronized Process start(WatchEvent event) throws IOException {
    if (closed) {
      throw new InterruptedIOException("the watch is over");
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.INHERIT)
            .redirectError(Redirect.INHERIT);
    Map<String, String> environment = builder.environment();
    environment.put("WATCHGATE_EVENT", RowStyle.name(event.getType()));
    environment.put("WATCHGATE_NAMESPACE", event.getKey().getNamespace());
    environment.put("WATCHGATE_NAME", event.getKey().getName());
    environment.put("WATCHGATE_UID", event.getKey().getUid());
    environment.put("WATCHGATE_RESOURCE_VERSION", event.getResourceVersion());
    try {
      Process process = builder.start();
      running = process;
      return process;
    } catch (IOException e) {
      throw failed("cannot be started: " + reason(String.valueOf(e.getMessage())), event);
    }
  }

  /**
   * Returns the reason only, from {@code Cannot run program "x": error=2, No such file or
   * directory} and {@code Cannot run program "x": Exec failed, error: 2 (No such file or directory)
   * }.
   */
  static String reason(String message) {
    Matcher reason = EXEC_ERROR.matcher(message);
    return reason.find() ? reason.group(1) : message.strip();
  }

  private static int await(Process process) throws InterruptedIOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a command ran");
    }
  }

  private CommandFailedException failed(String how, WatchEvent event) {
    JsonView object = JsonView.of(event.getObject().toByteArray());
    return new CommandFailedException(
        command.getFirst()
            + " "
            + how
            + ", for "
            + RowStyle.name(event.getType())
            + " "
            + NameOutput.name(event, object)
            + " at version "
            + event.getResourceVersion());
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException e) {
      // The process is ending; the hook is running, or has run.
    }
  }

  private void end() {
    Process process;
    synchronized (this) {
      closed = true;
      process = running;
    }
    if (process == null) {
      return;
    }
    // The shell is ended before its child, because it would report that the child was killed.
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    try {
      if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
        all.forEach(ProcessHandle::destroyForcibly);
      }
    } catch (InterruptedException e) {
      all.forEach(ProcessHandle::destroyForcibly);
      Thread.currentThread().interrupt();
    }
  }

  /** Failure of a command that was run for an event: a status other than 0, or a failed start. */
  public static final class CommandFailedException extends IOException {
    CommandFailedException(String message) {
      super(message);
    }
  }
}
