package io.watchgate.check.run;

import com.google.gson.JsonPrimitive;
import io.watchgate.check.CheckedVersion;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.RawApiClient.Message;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes that resemble those of a cluster. A few objects change often and many rarely, in bursts.
 * Objects are deleted, sometimes created again immediately, namespaces are emptied at once, and a
 * few objects are large. Each of a few threads has objects of its own and decides from a seed.
 */
final class WriteWorkload {
  private static final int WRITERS = 4;
  private static final int NAMES = 12;
  private static final int HOT = 2;
  private static final int BURST = 25;
  private static final int LARGE_BYTES = 200 << 10;
  private static final int USUAL_BYTES = 600;
  private static final String ODD = "<a & \"b\">\u2028\u2029\\ \t\u00e9\ud83d\ude00";
  private static final List<String> APPS = List.of("\"web\"", "\"api\"", "\"db\"", "null");
  private static final List<String> PHASES = List.of("Pending", "Running", "Failed");

  private final RawApiClient api;
  private final List<String> namespaces;
  private final List<WatchedType> types;
  private final double rate;
  private final long seed;
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong failedWrites = new AtomicLong();
  private final Map<WatchedType, CheckedVersion> written = new EnumMap<>(WatchedType.class);
  private final Map<WatchedType, Set<CheckedVersion>> acknowledged =
      new EnumMap<>(WatchedType.class);
  private final List<String> created = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * @param rate writes per second, of all threads together
   */
  WriteWorkload(
      RawApiClient api, List<String> namespaces, List<WatchedType> types, double rate, long seed) {
    this.api = api;
    this.namespaces = List.copyOf(namespaces);
    this.types = List.copyOf(types);
    this.rate = rate;
    this.seed = seed;
  }

  static String name(int writer, int number) {
    return "check-%d-%02d".formatted(writer, number);
  }

  static String node(int number) {
    return "check-node-" + number;
  }

  /** Creates the namespaces. */
  void prepare() throws KubeException {
    for (String namespace : namespaces) {
      api.send(Message.createNamespace(namespace));
      created.add(namespace);
    }
  }

  /**
   * Deletes the namespaces that were created, with all objects in them.
   *
   * @throws KubeException if one could not be deleted; the others were tried, too
   */
  void remove() throws KubeException {
    KubeException failure = null;
    for (String namespace : created) {
      try {
        api.send(Message.deleteNamespace(namespace));
      } catch (KubeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  void start() {
    for (int writer = 0; writer < WRITERS; writer++) {
      WriterThread own = new WriterThread(writer, new Random(seed + writer));
      threads.add(Thread.ofVirtual().name("check-write-" + writer).start(own));
    }
  }

  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Writes one more object of a type, after all others, and returns its version. */
  CheckedVersion writeLast(WatchedType type) throws KubeException {
    return create(type, namespaces.getFirst(), type.objectName("check-end"), new Random(seed));
  }

  long writes() {
    return writes.get();
  }

  /**
   * Returns the number of writes that failed, because another writer was faster or the apiserver
   * did not respond.
   */
  long failedWrites() {
    return failedWrites.get();
  }

  /** Returns a version that was written last, or nearly last. */
  CheckedVersion written(WatchedType type) {
    synchronized (written) {
      return written.getOrDefault(type, CheckedVersion.NONE);
    }
  }

  /** Returns the versions in responses of the apiserver; deletes have none. */
  Set<CheckedVersion> acknowledged(WatchedType type) {
    synchronized (written) {
      return Set.copyOf(acknowledged.getOrDefault(type, Set.of()));
    }
  }

  private void recordVersion(WatchedType type, byte[] answer) {
    CheckedVersion version = ObjectStates.version(ObjectStates.parse(answer));
    synchronized (written) {
      written.put(type, version);
      acknowledged.computeIfAbsent(type, any -> new HashSet<>()).add(version);
    }
  }

  private CheckedVersion create(WatchedType type, String namespace, String name, Random random)
      throws KubeException {
    byte[] created = api.send(Message.create(type.pathIn(namespace), body(type, name, random)));
    recordVersion(type, created);
    return written(type);
  }

  private static String body(WatchedType type, String name, Random random) {
    int bytes = random.nextInt(50) == 0 ? LARGE_BYTES : USUAL_BYTES;
    String metadata =
        "\"metadata\":{\"name\":%s,\"labels\":{\"tier\":\"%d\"%s},\"annotations\":{\"odd\":%s}}"
            .formatted(
                new JsonPrimitive(name),
                random.nextInt(4),
                random.nextInt(3) == 0 ? ",\"app\":\"web\",\"canary\":\"\"" : "",
                new JsonPrimitive(ODD));
    return switch (type) {
      case CONFIGMAPS ->
          "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",%s,\"data\":{\"fill\":\"%s\"}}"
              .formatted(metadata, "x".repeat(bytes));
      case PODS ->
          """
          {"apiVersion":"v1","kind":"Pod",%s,"spec":{"nodeName":"%s",\
          "automountServiceAccountToken":false,\
          "containers":[{"name":"c","image":"none","args":["%s"]}]}}\
          """
              .formatted(metadata, node(random.nextInt(4)), "x".repeat(bytes));
      case LEASES ->
          "{\"apiVersion\":\"%s\",\"kind\":\"Lease\",%s,\"spec\":{\"holderIdentity\":\"%s\"}}"
              .formatted(type.apiVersion(), metadata, "x".repeat(USUAL_BYTES));
      case ROLES ->
          """
          {"apiVersion":"%s","kind":"Role",%s,\
          "rules":[{"apiGroups":[""],"resources":["%s"],"verbs":["get"]}]}\
          """
              .formatted(type.apiVersion(), metadata, "x".repeat(USUAL_BYTES));
    };
  }

  /** Writes of one thread. */
  private final class WriterThread implements Runnable {
    private record ObjectPath(WatchedType type, String namespace, String name) {}

    private final int writer;
    private final Random random;
    private final Set<ObjectPath> present = new HashSet<>();
    private long count;

    WriterThread(int writer, Random random) {
      this.writer = writer;
      this.random = random;
    }

    @Override
    public void run() {
      long start = System.nanoTime();
      long step = (long) (1e9 * WRITERS / rate);
      while (!stopped) {
        int together = random.nextInt(100) == 0 ? BURST : 1;
        for (int i = 0; i < together && !stopped; i++) {
          write();
        }
        long due = start + count * step;
        while (!stopped && System.nanoTime() < due) {
          LockSupport.parkNanos(Math.min(due - System.nanoTime(), 50_000_000));
        }
      }
    }

    private void write() {
      int number = random.nextInt(3) == 0 ? random.nextInt(HOT) : random.nextInt(NAMES);
      WatchedType type = types.get(random.nextInt(types.size()));
      ObjectPath target =
          new ObjectPath(
              type,
              namespaces.get(random.nextInt(namespaces.size())),
              type.objectName(name(writer, number)));
      count++;
      try {
        write(target);
        writes.incrementAndGet();
      } catch (KubeException e) {
        failedWrites.incrementAndGet();
        // Another writer has emptied the namespace, or the result of the write is unknown.
        if (!present.remove(target)) {
          present.add(target);
        }
      }
    }

    private void write(ObjectPath target) throws KubeException {
      int choice = random.nextInt(200);
      if (choice == 0) {
        api.send(
            Message.delete(target.type().pathIn(target.namespace()) + "?gracePeriodSeconds=0"));
        present.removeIf(
            one -> one.type() == target.type() && one.namespace().equals(target.namespace()));
      } else if (!present.contains(target)) {
        create(target);
      } else if (choice < 30) {
        delete(target);
      } else if (choice < 50) {
        delete(target);
        create(target);
      } else {
        change(target, choice);
      }
    }

    private void create(ObjectPath target) throws KubeException {
      WriteWorkload.this.create(target.type(), target.namespace(), target.name(), random);
      present.add(target);
    }

    private void delete(ObjectPath target) throws KubeException {
      api.send(Message.delete(path(target) + "?gracePeriodSeconds=0"));
      present.remove(target);
    }

    private void change(ObjectPath target, int choice) throws KubeException {
      String path = path(target);
      String body =
          "{\"metadata\":{\"labels\":{\"app\":%s,\"canary\":%s,\"tier\":\"%d\"}}}"
              .formatted(
                  APPS.get(random.nextInt(APPS.size())),
                  random.nextInt(3) == 0 ? "\"\"" : "null",
                  random.nextInt(4));
      boolean asUsual = choice < 120;
      if (asUsual && target.type() == WatchedType.PODS) {
        path += "/status";
        body =
            "{\"status\":{\"phase\":\"%s\"}}".formatted(PHASES.get(random.nextInt(PHASES.size())));
      } else if (asUsual && target.type() == WatchedType.LEASES) {
        body = "{\"spec\":{\"leaseTransitions\":%d}}".formatted(count);
      }
      recordVersion(target.type(), api.send(Message.merge(path, body)));
    }

    private static String path(ObjectPath target) {
      String name = URLEncoder.encode(target.name(), StandardCharsets.UTF_8).replace("+", "%20");
      return target.type().pathIn(target.namespace()) + "/" + name;
    }
  }
}
