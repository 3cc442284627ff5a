package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resource usage of a server, from its metrics and from proc(5). */
class ServerUsageTest {
  @Test
  void metricsPage_isParsed() {
    ServerUsage use =
        MetricsPage.read(
            """
            # HELP process_cpu_seconds_total Processor time
            # TYPE process_cpu_seconds_total counter
            process_cpu_seconds_total 12.5
            process_resident_memory_bytes 1.5E8
            jvm_memory_used_bytes{area="heap"} 1000
            jvm_memory_used_bytes{area="nonheap"} 7
            jvm_buffer_pool_used_bytes{pool="direct"} 10
            watchgate_netty_direct_bytes 30
            """);
    assertThat(use).isEqualTo(new ServerUsage(12.5, Double.NaN, 1.5e8, 1000, 40, Double.NaN));
  }

  @Test
  void or_replacesUnknownValues() {
    ServerUsage proc = new ServerUsage(1, 0, 2, Double.NaN, Double.NaN, Double.NaN);
    ServerUsage page = new ServerUsage(9, 9, 9, 3, 4, 5);
    assertThat(proc.or(page)).isEqualTo(new ServerUsage(1, 0, 2, 3, 4, 5));
  }

  @Test
  void procFiles_oddProcessName_isParsed(@TempDir Path root) throws IOException {
    Files.createDirectory(root.resolve("42"));
    Files.writeString(
        root.resolve("42").resolve("stat"),
        "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1 0 99 88 3 0\n");
    Files.writeString(root.resolve("stat"), "cpu  100 10 20 9000 900 1 2 3 0 0\ncpu0 1 1 1\n");
    ProcFiles files = new ProcFiles(root);
    assertThat(files.processSeconds(42)).isEqualTo(2.0);
    assertThat(files.residentBytes(42)).isEqualTo(3 * 4096.0);
    assertThat(files.machineSeconds()).isEqualTo(1.36);
  }

  @Test
  void threadSeconds_selectsThreadsByName(@TempDir Path root) throws IOException {
    thread(root, 43, "C1 CompilerThre", 50);
    thread(root, 44, "C2 CompilerThre", 150);
    thread(root, 45, "grpc-loop-3-1", 1_000);
    assertThat(new ProcFiles(root).threadSeconds(42, "CompilerThre")).isEqualTo(2.0);
  }

  @Test
  void compilerSeconds_areReportedSeparately(@TempDir Path root)
      throws IOException, InterruptedException {
    thread(root, 44, "C2 CompilerThre", 150);
    process(root, 400);
    try (ServerProbe probe =
        new ServerProbe(Optional.empty(), OptionalLong.of(42), new ProcFiles(root))) {
      assertThat(probe.sample().cpuSeconds()).isEqualTo(2.5);
      assertThat(probe.sample().compilerSeconds()).isEqualTo(1.5);
    }
  }

  @Test
  void share_isLargestSinceTheLastCall(@TempDir Path root) throws IOException {
    thread(root, 44, "C2 CompilerThre", 150);
    process(root, 400);
    JitCpuTime compilers =
        new JitCpuTime(new ProcFiles(root), List.of(42L, 7L)); // process 7 is unknown
    thread(root, 44, "C2 CompilerThre", 200);
    process(root, 600);
    assertThat(compilers.share()).isEqualTo(0.25);
    assertThat(compilers.share()).isZero();
  }

  private static void process(Path root, int ticks) throws IOException {
    Files.writeString(
        root.resolve("42").resolve("stat"),
        "42 (java) S 1 2 3 4 5 6 7 8 9 10 " + ticks + " 0 0 0\n");
  }

  private static void thread(Path root, int id, String name, int ticks) throws IOException {
    Path own = root.resolve("42").resolve("task").resolve(Integer.toString(id));
    Files.createDirectories(own);
    Files.writeString(own.resolve("comm"), name + "\n");
    Files.writeString(
        own.resolve("stat"), id + " (" + name + ") S 1 2 3 4 5 6 7 8 9 10 " + ticks + " 0 0 0\n");
  }

  @Test
  void missingFiles_valuesAreUnknown(@TempDir Path root) {
    ProcFiles files = new ProcFiles(root);
    assertThat(files.processSeconds(1)).isNaN();
    assertThat(files.residentBytes(1)).isNaN();
    assertThat(files.machineSeconds()).isNaN();
    assertThat(files.threadSeconds(1, "")).isNaN();
  }
}
