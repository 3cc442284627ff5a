package io.watchgate.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Idle scheduling priority, with which threads run only on otherwise idle processors. Calls
 * sched_setscheduler(2) with SCHED_IDLE, for which Java has no API. Thread-safe.
 */
final class IdlePriority {
  private static final int SCHED_IDLE = 5;
  private static final int THIS_THREAD = 0;

  private IdlePriority() {}

  /**
   * Returns a task that sets idle priority for its thread, until the thread ends, and then runs
   * {@code task}. Linux only; on other systems the priority does not change.
   */
  static Runnable of(Runnable task) {
    return () -> {
      setForThisThread();
      task.run();
    };
  }

  @SuppressWarnings("restricted") // a call into the C library, which the jar's manifest allows
  private static void setForThisThread() {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find("sched_setscheduler");
    if (function.isEmpty()) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment priority = arena.allocate(ValueLayout.JAVA_INT); // SCHED_IDLE requires 0
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
      throw new IllegalStateException("sched_setscheduler failed", e); // declared by invokeExact
    }
  }
}
