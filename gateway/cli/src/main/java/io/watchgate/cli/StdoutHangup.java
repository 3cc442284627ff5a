package io.watchgate.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * Detector of a closed reader of stdout while nothing is written, as in {@code watch | head -1}. It
 * calls poll(2), for which Java has no API, on a thread that blocks in the call.
 */
final class StdoutHangup {
  /**
   * Delay before poll is linked: linking costs time, which the first rows need. Most snapshots are
   * complete earlier.
   */
  private static final Duration DELAY = Duration.ofSeconds(2);

  private static final MemoryLayout POLLFD =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_INT.withName("fd"),
          ValueLayout.JAVA_SHORT.withName("events"),
          ValueLayout.JAVA_SHORT.withName("revents"));
  private static final int STDOUT = 1;
  private static final int POLLERR = 8;
  private static final int POLLHUP = 16;

  private StdoutHangup() {}

  /**
   * Calls {@code left} on a thread of its own when the reader has closed the pipe; never if poll is
   * unavailable.
   */
  static void onReaderClosed(Runnable left) {
    Thread.ofPlatform().daemon().name("hangup").start(() -> await(left));
  }

  @SuppressWarnings("restricted") // native call, which the jar's manifest allows
  private static void await(Runnable left) {
    try (Arena arena = Arena.ofConfined()) {
      Thread.sleep(DELAY);
      Linker linker = Linker.nativeLinker();
      MemorySegment function = linker.defaultLookup().find("poll").orElse(MemorySegment.NULL);
      if (function.equals(MemorySegment.NULL)) {
        return;
      }
      MethodHandle poll =
          linker.downcallHandle(
              function,
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT));
      VarHandle revents = POLLFD.varHandle(PathElement.groupElement("revents"));
      MemorySegment pollfd = arena.allocate(POLLFD);
      pollfd.set(ValueLayout.JAVA_INT, 0, STDOUT);
      int ready;
      do {
        // No requested events: POLLERR and POLLHUP are always reported. A signal may end poll
        // early.
        ready = (int) poll.invokeExact(pollfd, 1L, -1);
      } while (ready < 0 || ((short) revents.get(pollfd, 0L) & (POLLERR | POLLHUP)) == 0);
      left.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      throw new IllegalStateException("poll failed", e); // declared by invokeExact
    }
  }
}
