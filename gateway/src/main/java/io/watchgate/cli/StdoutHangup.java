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
 * Notices that the reader of stdout has left while nothing is written, as in {@code watch | head
 * -1}: poll(2) says so, for which Java has no call. A thread waits in it, and costs nothing.
 */
final class StdoutHangup {
  /**
   * Later than a snapshot mostly needs: making the call ready costs time, which rows need first.
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

  /** Calls {@code left} when it happens, on a thread of its own; never where poll is not known. */
  static void whenReaderLeaves(Runnable left) {
    Thread.ofPlatform().daemon().name("hangup").start(() -> await(left));
  }

  @SuppressWarnings("restricted") // a call into the C library, which the jar's manifest allows
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
        // No events asked for: only these two, which are told always. Signals may end it early.
        ready = (int) poll.invokeExact(pollfd, 1L, -1);
      } while (ready < 0 || ((short) revents.get(pollfd, 0L) & (POLLERR | POLLHUP)) == 0);
      left.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      throw new IllegalStateException("poll failed", e); // invokeExact declares it
    }
  }
}
