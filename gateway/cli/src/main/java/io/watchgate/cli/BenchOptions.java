package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.bench.BenchPlan;
import io.watchgate.bench.BenchPlan.HostileBehavior;
import io.watchgate.bench.BenchPlan.Kind;
import io.watchgate.bench.BenchPlan.Pace;
import io.watchgate.bench.BenchPlan.Selectors;
import io.watchgate.bench.BenchPlan.Stall;
import io.watchgate.bench.BenchPlan.View;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options of a {@code bench} run. */
final class BenchOptions {
  private static final int DEFAULT_OBJECTS = 100;
  private static final int MAX_STREAMS = 200_000;
  private static final int MAX_OBJECTS = 200_000;
  private static final int MIN_OBJECTS = 8;
  private static final int MAX_BYTES = 256 << 10;
  private static final double MAX_RATE = 100_000;
  private static final int MAX_WINDOW = 4_096;

  /** The default window of HTTP/2 (RFC 9113, 6.9.2). */
  private static final int MIN_RECEIVE_KIB = 64;

  private static final int MAX_RECEIVE_KIB = 64 << 10;

  /** Bounds of the contract, {@code watch.proto}. */
  private static final Duration MIN_BOOKMARKS = Duration.ofSeconds(1);

  private static final Duration MAX_BOOKMARKS = Duration.ofMinutes(5);

  /** Longest run, as a machine is not reserved for longer. */
  private static final Duration MAX_DURATION = Duration.ofHours(24);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--streams",
      paramLabel = "NUMBER",
      defaultValue = "100",
      description = "Streams to open, 1 to 200000. Default: ${DEFAULT-VALUE}.")
  private int streams;

  @Option(
      names = "--connections",
      paramLabel = "NUMBER",
      description = "Connections that they share evenly. Default: one for each 100 streams.")
  private @Nullable Integer connections;

  @Option(
      names = "--selectors",
      paramLabel = "KIND",
      converter = SelectorsArgument.class,
      description =
          "same: each stream watches all objects; per-node: the pods of one node; mixed: every"
              + " other stream as per-node, the others as same; different: all objects, with a"
              + " selector of its own. Default: same.")
  private Selectors selectors = Selectors.SAME;

  @Option(
      names = "--projection",
      paramLabel = "VIEW",
      converter = ViewArgument.class,
      description = "Projection of objects: full, no-managed-fields, metadata. Default: full.")
  private View view = View.FULL;

  @Option(
      names = "--bookmarks",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description =
          "Bookmark interval that each stream requests, 1s to 5m. Default: the gateway's choice.")
  private @Nullable Duration bookmarks;

  @Option(
      names = "--objects",
      paramLabel = "NUMBER",
      description =
          "Objects that are changed one after the other, 8 to 200000. Default: 100, or one for each"
              + " node.")
  private @Nullable Integer objects;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description =
          "Bytes of an object as JSON, up to 262144, and at least what its metadata needs. Default:"
              + " ${DEFAULT-VALUE}.")
  private int size;

  @Option(
      names = "--nodes",
      paramLabel = "NUMBER",
      description =
          "Number of nodes that per-node and mixed select, the n-th stream the n-th node. Default:"
              + " as many as streams.")
  private @Nullable Integer nodes;

  @Option(
      names = "--busy-nodes",
      paramLabel = "NUMBER",
      description = "Number of nodes that have pods. Default: all.")
  private @Nullable Integer busyNodes;

  @Option(
      names = "--rate",
      paramLabel = "NUMBER",
      defaultValue = "100",
      description =
          "Writes per second, even if readers lag; 0: as fast as the slowest reader permits, which"
              + " may be --window changes behind. Default: ${DEFAULT-VALUE}.")
  private double rate;

  @Option(
      names = "--window",
      paramLabel = "NUMBER",
      defaultValue = "64",
      description =
          "Maximum number of writes in flight with --rate 0, 1 to 4096. Default: ${DEFAULT-VALUE}.")
  private int window;

  @Option(
      names = "--receive-kib",
      paramLabel = "NUMBER",
      description =
          "HTTP/2 window of each stream and of each connection, in KiB. A stalled reader still"
              + " receives this much. Default: gRPC's own of 1024, which grows.")
  private @Nullable Integer receiveKib;

  @Option(
      names = "--stall",
      paramLabel = "PERCENT",
      defaultValue = "0",
      description =
          "Share of the streams, in percent, whose readers are slow or hostile once they are"
              + " synced; they are not measured. Default: ${DEFAULT-VALUE}.")
  private double stall;

  @Option(
      names = "--stall-by",
      paramLabel = "BEHAVIOR",
      converter = BehaviorArgument.class,
      description =
          "Behavior of these readers. no-demand: request no more messages, on connections that"
              + " other streams use; unread: do not read the socket; reconnect: connect again and"
              + " again; reset: open streams and reset them again and again; scan: call methods"
              + " that do not exist, again and again. Default: no-demand.")
  private HostileBehavior behavior = HostileBehavior.NO_DEMAND;

  @Option(
      names = "--joining",
      paramLabel = "NUMBER",
      defaultValue = "0",
      description =
          "Number of further streams that open together at the start of the measurement, on up to"
              + " ten connections of their own. Default: ${DEFAULT-VALUE}.")
  private int joining;

  @Option(
      names = "--returning",
      paramLabel = "NUMBER",
      defaultValue = "0",
      description =
          "Number of streams that leave after the warm-up and resume together at the start of the"
              + " measurement, on connections of their own; latencies are measured on the other"
              + " streams. Default: ${DEFAULT-VALUE}.")
  private int returning;

  @Option(
      names = "--away",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time for which the streams of --returning are away. Default: 60s.")
  private Duration away = Duration.ofSeconds(60);

  @Option(
      names = "--warm-up",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time before the measurement. Default: 10s.")
  private Duration warmUp = Duration.ofSeconds(10);

  @Option(
      names = "--warm-up-rate",
      paramLabel = "NUMBER",
      description =
          "Writes a second during the warm-up: where few streams match a write, compilers would"
              + " otherwise still be busy for minutes. Default: as --rate.")
  private @Nullable Double warmUpRate;

  @Option(
      names = "--steady-within",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description =
          "Longest extension of the warm-up: it ends early when the server's cost of a delivery"
              + " differs by at most a twentieth in three windows of 5 s. Default: none.")
  private Duration steadyWithin = Duration.ZERO;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time of the measurement, up to 24h. Default: 30s.")
  private Duration duration = Duration.ofSeconds(30);

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "Seed that selects the streams of --stall. Default: ${DEFAULT-VALUE}.")
  private long seed;

  static final class SelectorsArgument implements ITypeConverter<Selectors> {
    @Override
    public Selectors convert(String text) {
      return word(Selectors.class, text);
    }
  }

  static final class ViewArgument implements ITypeConverter<View> {
    @Override
    public View convert(String text) {
      return word(View.class, text);
    }
  }

  static final class BehaviorArgument implements ITypeConverter<HostileBehavior> {
    @Override
    public HostileBehavior convert(String text) {
      return word(HostileBehavior.class, text);
    }
  }

  private static <E extends Enum<E>> E word(Class<E> type, String text) {
    StringBuilder words = new StringBuilder();
    for (E value : type.getEnumConstants()) {
      String word = value.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (word.equals(text)) {
        return value;
      }
      words.append(words.isEmpty() ? "" : ", ").append(word);
    }
    throw new TypeConversionException("'" + text + "' is none of " + words);
  }

  /**
   * Returns the plan.
   *
   * @throws ParameterException if a value is out of range or options contradict each other
   */
  BenchPlan plan() {
    requireInRange(command, "--streams", streams, 1, MAX_STREAMS);
    int shared =
        Optional.ofNullable(connections).orElse(Math.min(streams, Math.max(1, streams / 100)));
    requireInRange(command, "--connections", shared, 1, streams);
    boolean onNodes = selectors == Selectors.PER_NODE || selectors == Selectors.MIXED;
    if (!onNodes && (nodes != null || busyNodes != null)) {
      throw usage("--nodes and --busy-nodes need --selectors per-node or mixed");
    }
    int selected = Optional.ofNullable(nodes).orElse(streams);
    requireInRange(command, "--nodes", selected, 1, MAX_STREAMS);
    int busy = Optional.ofNullable(busyNodes).orElse(selected);
    requireInRange(command, "--busy-nodes", busy, 1, selected);
    int count =
        Optional.ofNullable(objects)
            .orElse(onNodes ? Math.max(busy, MIN_OBJECTS) : DEFAULT_OBJECTS);
    requireInRange(command, "--objects", count, MIN_OBJECTS, MAX_OBJECTS);
    requireInRange(command, "--size", size, 1, MAX_BYTES);
    requireInRange(command, "--window", window, 1, MAX_WINDOW);
    if (!(rate >= 0 && rate <= MAX_RATE)) {
      throw usage("--rate " + rate + " is out of range: 0 to " + (int) MAX_RATE);
    }
    if (warmUpRate != null && !(warmUpRate > 0 && warmUpRate <= MAX_RATE && rate > 0)) {
      throw usage(
          "--warm-up-rate must be above 0 and at most "
              + (int) MAX_RATE
              + ", and needs a --rate above 0");
    }
    if (receiveKib != null) {
      requireInRange(command, "--receive-kib", receiveKib, MIN_RECEIVE_KIB, MAX_RECEIVE_KIB);
    }
    if (!(stall >= 0 && stall < 100)) {
      throw usage("--stall " + stall + " is out of range: 0 to below 100");
    }
    if (Collections.max(List.of(duration, warmUp, steadyWithin)).compareTo(MAX_DURATION) > 0) {
      throw usage("--duration, --warm-up and --steady-within are at most 24h");
    }
    if (bookmarks != null
        && (bookmarks.compareTo(MIN_BOOKMARKS) < 0 || bookmarks.compareTo(MAX_BOOKMARKS) > 0)) {
      throw usage("--bookmarks is 1s to 5m, as for every stream");
    }
    requireInRange(command, "--joining", joining, 0, streams);
    requireInRange(command, "--returning", returning, 0, streams);
    if (rate == 0 && returning > 0) {
      throw usage(
          "--returning needs a --rate above 0: otherwise no stream misses a change while it is"
              + " away");
    }
    if (stall > 0 && returning > 0) {
      throw usage("--returning and --stall exclude each other");
    }
    return new BenchPlan(
        new BenchPlan.Readers(
            streams,
            shared,
            selectors,
            view,
            Optional.ofNullable(bookmarks),
            receiveKib == null ? OptionalInt.empty() : OptionalInt.of(receiveKib << 10),
            new Stall(stall, behavior)),
        new BenchPlan.Arrivals(joining, returning, returning > 0 ? away : Duration.ZERO),
        new BenchPlan.Objects(onNodes ? Kind.PODS : Kind.CONFIGMAPS, count, size, selected, busy),
        pace(),
        new BenchPlan.Times(warmUp, steadyWithin, duration),
        seed);
  }

  private Pace pace() {
    if (rate == 0) {
      return new Pace.Unpaced(window);
    }
    return new Pace.Paced(rate, Optional.ofNullable(warmUpRate).orElse(rate), warmUp);
  }

  ParameterException usage(String message) {
    return UsageError.of(command, message);
  }
}
