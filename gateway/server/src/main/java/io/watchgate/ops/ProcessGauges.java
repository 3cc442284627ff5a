package io.watchgate.ops;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metrics of the process, with the names that Prometheus clients use. Netty counts its memory
 * outside the heap itself; Java does not know of it.
 */
public final class ProcessGauges {
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]+) kB");

  private ProcessGauges() {}

  /**
   * Registers the metrics; they are read when metrics are scraped.
   *
   * @param nettyDirect bytes outside the heap that Netty has allocated from the system itself
   */
  public static void register(PrometheusRegistry registry, LongSupplier nettyDirect) {
    MetricFactory metrics = new MetricFactory(registry);
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    metrics.readCounter(
        "process_cpu_seconds",
        "Processor time of the process",
        () -> system.getProcessCpuTime() / NANOS);
    metrics.readGauge(
        "process_start_time_seconds",
        "Start of the process, in seconds since 1970",
        () -> ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS);
    metrics.readCounter(
        "jvm_gc_seconds",
        "Time that garbage collections took; for G1 and the serial collector these are pauses",
        () ->
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                    .sum()
                / MILLIS);
    metrics.readCounter(
        "jvm_allocated_bytes",
        "Bytes of Java objects allocated since the start",
        threads::getTotalThreadAllocatedBytes);
    metrics.readGauge(
        "process_resident_memory_bytes",
        "Resident memory of the process; NaN if the system does not report it",
        ProcessGauges::resident);
    metrics.readGauge(
        "jvm_threads_current",
        "Platform threads of Java; virtual threads are not counted",
        threads::getThreadCount);
    metrics.readGauge(
        "process_open_fds",
        "Open files and sockets; NaN if the system does not report them",
        () ->
            system instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : Double.NaN);
    metrics.readGauge(
        "process_max_fds",
        "Maximum number of open files and sockets; NaN if the system does not report it",
        () ->
            system instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Double.NaN);
    metrics.readGauge(
        "watchgate_netty_direct_bytes",
        "Bytes outside the heap that Netty has allocated, without the buffer pools of Java",
        nettyDirect::getAsLong);
    GaugeWithCallback.builder()
        .name("jvm_memory_used_bytes")
        .help("Bytes in use, garbage included")
        .labelNames(MetricLabels.AREA)
        .callback(
            gauge -> {
              var memory = ManagementFactory.getMemoryMXBean();
              gauge.call((double) memory.getHeapMemoryUsage().getUsed(), "heap");
              gauge.call((double) memory.getNonHeapMemoryUsage().getUsed(), "nonheap");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("jvm_buffer_pool_used_bytes")
        .help("Bytes in the buffer pools of Java, outside the heap")
        .labelNames(MetricLabels.POOL)
        .callback(
            gauge -> {
              for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                gauge.call((double) pool.getMemoryUsed(), pool.getName());
              }
            })
        .register(registry);
  }

  private static double resident() {
    try {
      Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status")));
      return resident.find() ? Double.parseDouble(resident.group(1)) * 1024 : Double.NaN;
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
