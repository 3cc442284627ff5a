package io.watchgate.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Threads that have a processor only while nobody else wants it: sched_setscheduler(2) with
 * SCHED_IDLE, for which Java has no call. Thread-safe.
 */
final class IdlePriority {
  private static final int SCHED_IDLE = 5;
  private static final int THIS_THREAD = 0;

  private IdlePriority() {}

  /**
   * Gives the thread that runs the task such a priority for as long as it lives, where the system
   * has one: Linux. Elsewhere the thread is like all others.
   */
  static Runnable of(Runnable task) {
    return () -> {
      take();
      task.run();
    };
  }

  @SuppressWarnings("restricted") // a call into the C library, which the jar's manifest allows
  private static void take() {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find("sched_setscheduler");
    if (function.isEmpty()) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment priority = arena.allocate(ValueLayout.JAVA_INT); // 0 is all that it takes
      int _ =
          (int)
              linker
                  .downcallHandle(
                      function.get(),
                      FunctionDescriptor.of(
                          ValueLayout.JAVA_INT,
                          ValueLayout.JAVA_INT,
                          ValueLayout.JAVA_INT,
                          ValueLayout.ADDRESS))
                  .invokeExact(THIS_THREAD, SCHED_IDLE, priority);
    } catch (Throwable e) {
      throw new IllegalStateException("sched_setscheduler failed", e); // invokeExact declares it
    }
  }
}
