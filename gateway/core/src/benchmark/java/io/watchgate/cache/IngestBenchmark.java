package io.watchgate.cache;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.WatchReader;
import io.watchgate.select.SelectableFields;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Benchmark of the time per event from the bytes of a watch into the cache, on one core. Two other
 * benchmarks are for comparison: our scanner alone, and Jackson's streaming parser that finds the
 * same parts.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseCompactObjectHeaders", "-XX:+UseSerialGC", "-Xms3g", "-Xmx3g"})
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class IngestBenchmark {
  private static final int EVENTS = 20_000;
  private static final int PODS = 10_000;
  private static final TypeDefinition DEFINITION =
      new TypeDefinition(
          new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED),
          "pod",
          List.of("po"),
          List.of("list", "watch"),
          "",
          List.of());
  private static final FieldPaths PATHS = SelectableFields.of(DEFINITION).paths();

  @Param({"1024", "5120"})
  public int size;

  private byte[] recorded = {};
  private final List<byte[]> objects = new ArrayList<>();
  private StateMap listed = StateMap.EMPTY;
  private final JsonFactory jackson = new JsonFactory();

  @Setup
  public void record() throws Exception {
    PodBytes pods = new PodBytes(1, size);
    List<KubeObject> first = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      first.add(KubeObject.read(pods.pod(i, 1 + i), PATHS));
    }
    first.sort((left, right) -> StateMap.compare(left.key(), right.key()));
    listed = StateMap.ofSorted(first);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < EVENTS; i++) {
      byte[] pod = pods.pod((int) (i * 7919L % PODS), 1_000_000 + i);
      objects.add(pod);
      out.write("{\"type\":\"MODIFIED\",\"object\":".getBytes(StandardCharsets.US_ASCII));
      out.write(pod);
      out.write("}\n".getBytes(StandardCharsets.US_ASCII));
    }
    recorded = out.toByteArray();
  }

  /** Measures frames, scanner, map, digest and history. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public WatchCache ingest() throws Exception {
    WatchCache cache =
        new WatchCache(
            DEFINITION,
            CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
                .withHistory(Duration.ofMinutes(10), 16 << 20),
            TimeSource.SYSTEM,
            CacheMetrics.NONE);
    cache.publishList(new ResourceVersion("999999"), listed, cache.now());
    WatchApplier applier = new WatchApplier(cache, PATHS, cache.skipped(), CacheMetrics.NONE);
    WatchReader reader = new WatchReader(new ByteArrayInputStream(recorded), 32 << 20);
    while (reader.next()) {
      applier.event(
          Upstream.EventType.valueOf(reader.type().name()),
          reader.buffer(),
          reader.from(),
          reader.to());
    }
    return cache;
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int scanner() throws Exception {
    int sum = 0;
    for (byte[] object : objects) {
      sum += KubeObject.read(object, PATHS).key().length;
    }
    return sum;
  }

  /** Measures Jackson finding the same parts. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int jacksonStreaming() throws Exception {
    int sum = 0;
    for (byte[] object : objects) {
      try (JsonParser parser = jackson.createParser(object)) {
        sum += find(parser);
      }
    }
    return sum;
  }

  private static int find(JsonParser parser) throws Exception {
    int found = 0;
    parser.nextToken();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      switch (name) {
        case "metadata", "spec", "status" -> {
          while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String inner = parser.currentName();
            parser.nextToken();
            switch (inner) {
              case "name", "namespace", "uid", "resourceVersion", "nodeName", "phase" ->
                  found += parser.getText().length();
              case "labels" -> {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                  parser.nextToken();
                  found += parser.getText().length();
                }
              }
              default -> parser.skipChildren();
            }
          }
        }
        default -> parser.skipChildren();
      }
    }
    return found;
  }
}
