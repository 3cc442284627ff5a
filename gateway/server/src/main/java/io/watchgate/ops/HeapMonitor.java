package io.watchgate.ops;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.watchgate.cache.HeapBudget;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * Listener that reports the used heap to the heap's budget after each garbage collection. After a
 * collection of all generations the value is exact. After any other collection it is an upper
 * bound, because garbage is left. Closing ends it.
 */
public final class HeapMonitor implements AutoCloseable {
  /** Names of the collections of the complete heap, of all collectors of the JDK. */
  private static final Set<String> FULL_COLLECTIONS =
      Set.of(
          "G1 Old Generation",
          "MarkSweepCompact",
          "PS MarkSweep",
          "ZGC Major Cycles",
          "Shenandoah Cycles");

  private final HeapBudget budget;

  /** Bytes of the heap that are reserved for other code in this process. */
  private final long reservedBytes;

  private final Set<String> pools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());

  private final NotificationListener listener = this::onCollection;
  private final List<NotificationEmitter> emitters = new ArrayList<>();

  private HeapMonitor(HeapBudget budget) {
    this.budget = budget;
    this.reservedBytes = Runtime.getRuntime().maxMemory() - budget.heap();
  }

  public static HeapMonitor start(HeapBudget budget) {
    HeapMonitor watch = new HeapMonitor(budget);
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(watch.listener, null, null);
        watch.emitters.add(emitter);
      }
    }
    return watch;
  }

  private void onCollection(Notification notification, Object handback) {
    if (!notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      return;
    }
    GarbageCollectionNotificationInfo info =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
    long used = 0;
    for (Map.Entry<String, MemoryUsage> pool :
        info.getGcInfo().getMemoryUsageAfterGc().entrySet()) {
      used += pools.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
    }
    long own = Math.max(0, used - reservedBytes);
    if (FULL_COLLECTIONS.contains(info.getGcName())) {
      budget.recordFullCollection(own);
    } else {
      budget.recordPartialCollection(own);
    }
  }

  @Override
  public void close() {
    for (NotificationEmitter emitter : emitters) {
      try {
        emitter.removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
