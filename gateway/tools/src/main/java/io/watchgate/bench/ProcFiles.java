package io.watchgate.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * CPU time and memory as reported by Linux in proc(5), in steps of 10 ms. Values are NaN if
 * unknown: on other systems, and for a process that has ended.
 */
final class ProcFiles {
  /** USER_HZ, which is 100 on every architecture that Java supports. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;
  private static final int RESIDENT_PAGES = 21;
  private static final int PAGE_BYTES = 4096;

  private final Path root;

  ProcFiles() {
    this(Path.of("/proc"));
  }

  /** For tests: reads another folder. */
  ProcFiles(Path root) {
    this.root = root;
  }

  /** Returns the seconds of all processors that were neither idle nor waiting for a disk. */
  double machineSeconds() {
    String[] fields = read(Path.of("stat")).lines().findFirst().orElse("").split(" +", -1);
    if (fields.length < 9) {
      return Double.NaN;
    }
    // user nice system idle iowait irq softirq steal: stolen time is not available to processes
    // here, either.
    double ticks = 0;
    for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
      ticks += Double.parseDouble(fields[i]);
    }
    return ticks / TICKS_PER_SECOND;
  }

  /** Returns the CPU seconds of a process, in user and kernel mode. */
  double processSeconds(long pid) {
    return seconds(stat(Path.of(Long.toString(pid), "stat")));
  }

  private static double seconds(String[] fields) {
    return fields.length <= SYSTEM_TIME
        ? Double.NaN
        : (Double.parseDouble(fields[USER_TIME]) + Double.parseDouble(fields[SYSTEM_TIME]))
            / TICKS_PER_SECOND;
  }

  /** Returns the CPU seconds of a process's live threads whose names contain {@code inName}. */
  double threadSeconds(long pid, String inName) {
    Path tasks = Path.of(Long.toString(pid), "task");
    double sum = 0;
    try (Stream<Path> threads = Files.list(root.resolve(tasks))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        Path own = tasks.resolve(String.valueOf(thread.getFileName()));
        if (read(own.resolve("comm")).contains(inName)) {
          double seconds = seconds(stat(own.resolve("stat")));
          sum += Double.isNaN(seconds) ? 0 : seconds; // NaN: the thread has ended
        }
      }
      return sum;
    } catch (IOException | UncheckedIOException e) {
      return Double.NaN;
    }
  }

  /** Returns the resident memory of a process in bytes. */
  double residentBytes(long pid) {
    String[] fields = stat(Path.of(Long.toString(pid), "stat"));
    return fields.length <= RESIDENT_PAGES
        ? Double.NaN
        : Double.parseDouble(fields[RESIDENT_PAGES]) * PAGE_BYTES;
  }

  /** Returns the fields after the program's name, which may contain spaces and brackets. */
  private String[] stat(Path file) {
    String text = read(file);
    return text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
  }

  private String read(Path file) {
    try {
      return Files.readString(root.resolve(file));
    } catch (IOException e) {
      return "";
    }
  }
}
