package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.fanout.StreamState;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Page of the streams: the open ones, read on their event loops, or those that have ended or were
 * refused lately. Of the open ones each event loop keeps only as many as the page shows.
 */
public final class StreamsPage implements DebugPage.Content {
  /** Rows of a page. */
  public static final int MAX_ROWS = 1_000;

  /** Column of namespaces, of which none means all. */
  static final String NAMESPACES = "namespaces";

  static final int DEFAULT_ROWS = 100;

  /** Largest offset: an event loop keeps that many rows, and those of the page. */
  static final int MAX_OFFSET = 100_000;

  private static final List<String> IMPORTANT_COLUMNS =
      List.of(
          "client",
          "user",
          "type",
          "namespaces",
          "labels",
          "phase",
          "behindEvents",
          "behindBytes",
          "behindSeconds",
          "blocked",
          "sentBytes",
          "opened");

  /** Time for each event loop to answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<List<StreamLoop>> loops;
  private final EndedStreams endedStreams;

  /**
   * @param loops event loops of all streams
   * @param endedStreams streams that have ended or were refused
   */
  public StreamsPage(Supplier<List<StreamLoop>> loops, EndedStreams endedStreams) {
    this.loops = loops;
    this.endedStreams = endedStreams;
  }

  /** Returns the page with its path and its parameters. */
  public DebugPage page() {
    return new DebugPage(
        "/debug/streams",
        DebugPage.Access.GUARDED,
        parameters(),
        "The streams: state=open, ended or refused; of a type, a user, a client; sort=behind,"
            + " bytes, seconds, sent, opened; limit and offset.",
        this);
  }

  private static List<DebugPage.Parameter> parameters() {
    List<DebugPage.Parameter> parameters = new ArrayList<>();
    parameters.add(
        new DebugPage.Parameter(
            "state",
            Stream.of(Selected.values())
                .map(state -> DebugPage.Choice.of(PageQuery.label(state)))
                .toList()));
    parameters.addAll(DebugPage.Parameter.texts("type", "user", "client"));
    parameters.add(sortParameter());
    parameters.addAll(DebugPage.Parameter.texts("limit", "offset"));
    return parameters;
  }

  static DebugPage.Parameter sortParameter() {
    return new DebugPage.Parameter(
        "sort",
        Stream.of(Order.values())
            .map(
                order ->
                    new DebugPage.Choice(PageQuery.label(order), order.column, order.direction()))
            .toList());
  }

  private enum Selected {
    OPEN,
    ENDED,
    REFUSED
  }

  /** Orders of open streams, each with the most remarkable ones first. */
  private enum Order {
    BEHIND("behindEvents"),
    BYTES("behindBytes"),
    SECONDS("behindSeconds"),
    SENT("sentBytes"),
    OPENED("opened");

    private final String column;

    Order(String column) {
      this.column = column;
    }

    DebugPage.Direction direction() {
      return this == OPENED ? DebugPage.Direction.ASCENDING : DebugPage.Direction.DESCENDING;
    }

    Comparator<StreamState> comparator() {
      Comparator<StreamState> order =
          switch (this) {
            case BEHIND -> Comparator.comparingLong(stream -> -stream.lag().events());
            case BYTES -> Comparator.comparingLong(stream -> -stream.lag().bytes());
            case SECONDS -> Comparator.comparing(stream -> stream.lag().age().negated());
            case SENT -> Comparator.comparingLong(stream -> -stream.sentBytes());
            case OPENED -> Comparator.comparing(stream -> stream.identity().opened());
          };
      return order.thenComparing(stream -> stream.identity().id());
    }
  }

  @Override
  public JsonObject of(PageQuery query) throws PageException, InterruptedException {
    int limit = query.number("limit", DEFAULT_ROWS, 1, MAX_ROWS);
    int offset = query.number("offset", 0, 0, MAX_OFFSET);
    Order order = query.choice("sort", Order.BEHIND);
    return switch (query.choice("state", Selected.OPEN)) {
      case OPEN -> open(query, order.comparator(), offset, limit);
      case ENDED -> recent(endedStreams.ended(), query, offset, limit);
      case REFUSED -> recent(endedStreams.refused(), query, offset, limit);
    };
  }

  /**
   * Returns the rows of the open streams that are first in an order, with their most important
   * columns.
   */
  JsonArray first(PageQuery query, int limit) throws PageException, InterruptedException {
    Order order = query.choice("sort", Order.BEHIND);
    JsonArray first = new JsonArray();
    for (JsonElement row : open(query, order.comparator(), 0, limit).getAsJsonArray("streams")) {
      JsonObject shown = new JsonObject();
      IMPORTANT_COLUMNS.forEach(column -> shown.add(column, row.getAsJsonObject().get(column)));
      first.add(shown);
    }
    return first;
  }

  private static boolean isAsked(PageQuery query, String type, StreamIdentity identity) {
    return isAsked(query.text("type"), type)
        && isAsked(query.text("user"), identity.user())
        && isAsked(query.text("client"), identity.client());
  }

  static boolean isAsked(String requested, String value) {
    return requested.isEmpty() || requested.equals(value);
  }

  private JsonObject open(PageQuery query, Comparator<StreamState> order, int offset, int limit)
      throws PageException, InterruptedException {
    Predicate<StreamState> isAsked =
        stream -> isAsked(query, stream.selection().type().groupResource(), stream.identity());
    List<FirstRows<StreamState>> ofLoops = new ArrayList<>();
    List<CompletableFuture<Void>> answers = new ArrayList<>();
    for (StreamLoop loop : loops.get()) {
      FirstRows<StreamState> ofLoop = new FirstRows<>(order, offset + limit);
      ofLoops.add(ofLoop);
      answers.add(
          loop.survey(
              stream -> {
                if (isAsked.test(stream)) {
                  ofLoop.add(stream);
                }
              }));
    }
    await(CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)));
    int total = ofLoops.stream().mapToInt(FirstRows::total).sum();
    Set<String> shown = new HashSet<>();
    JsonArray rows = new JsonArray();
    ofLoops.stream()
        .flatMap(FirstRows::stream)
        .sorted(order)
        .filter(stream -> stream.identity().id().isEmpty() || shown.add(stream.identity().id()))
        .skip(offset)
        .limit(limit)
        .forEach(stream -> rows.add(row(stream)));
    JsonObject content = new JsonObject();
    addRows(content, "streams", total, offset, rows);
    return content;
  }

  private static void await(CompletableFuture<Void> answers)
      throws PageException, InterruptedException {
    try {
      answers.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw PageException.unavailable(
          "an event loop did not answer within "
              + TIMEOUT.toSeconds()
              + " s: the process is short of CPU, or ends");
    } catch (ExecutionException e) {
      throw new IllegalStateException("the streams of an event loop could not be read", e);
    }
  }

  private static JsonObject row(StreamState stream) {
    JsonObject row = new JsonObject();
    addIdentity(row, stream.identity());
    addSelection(row, stream.selection());
    row.addProperty("view", stream.projection());
    row.addProperty("phase", PageQuery.label(stream.activity()));
    row.addProperty("position", stream.version());
    row.addProperty("behindEvents", stream.lag().events());
    row.addProperty("behindBytes", stream.lag().bytes());
    row.addProperty("behindSeconds", stream.lag().age().toMillis() / 1e3);
    row.addProperty("blocked", stream.isBlocked());
    row.addProperty("sentBytes", stream.sentBytes());
    return row;
  }

  /** Adds type, namespaces and selectors. */
  static void addSelection(JsonObject row, CompiledSelection selection) {
    row.addProperty("type", selection.type().groupResource());
    addSelection(
        row,
        selection.namespaces(),
        selection.labels().canonical(),
        selection.fields().canonical());
  }

  private static void addSelection(
      JsonObject row, List<String> namespaces, String labels, String fields) {
    JsonArray names = new JsonArray();
    namespaces.forEach(names::add);
    row.add(NAMESPACES, names);
    row.addProperty("labels", labels);
    row.addProperty("fields", fields);
  }

  private static void addIdentity(JsonObject row, StreamIdentity identity) {
    row.addProperty("stream", identity.id());
    row.addProperty("api", identity.api());
    row.addProperty("client", identity.client());
    row.addProperty("agent", identity.agent());
    row.addProperty("user", identity.user());
    row.addProperty("address", identity.address());
    row.addProperty("traceparent", identity.traceparent());
    row.addProperty("opened", TextPage.time(identity.opened()));
  }

  /** Returns the last streams that ended, with their most important columns. */
  JsonArray lastEnded(int limit) {
    JsonArray rows = new JsonArray();
    for (EndedStreams.Entry entry : endedStreams.ended()) {
      if (rows.size() == limit) {
        break;
      }
      JsonObject row = new JsonObject();
      row.addProperty("time", TextPage.time(entry.time()));
      row.addProperty("reason", entry.reason());
      row.addProperty("client", entry.identity().client());
      row.addProperty("user", entry.identity().user());
      row.addProperty("type", entry.type());
      addWatched(row, entry.watched());
      rows.add(row);
    }
    return rows;
  }

  /** Returns how many of the last streams ended since a time, by their reasons. */
  Map<String, Integer> endedSince(Instant since) {
    return endedStreams.endedSince(since);
  }

  /** Adds what is known of an ended stream; the names are those of an open one. */
  private static void addWatched(JsonObject row, EndedStreams.@Nullable Watched watched) {
    if (watched == null) {
      return;
    }
    List<String> namespaces =
        watched.namespaces().isEmpty() ? List.of() : List.of(watched.namespaces().split(","));
    addSelection(row, namespaces, watched.labels(), watched.fields());
    StreamState.Activity last = watched.lastActivity();
    row.addProperty("phase", last == null ? "" : PageQuery.label(last));
  }

  private static JsonObject recent(
      List<EndedStreams.Entry> entries, PageQuery query, int offset, int limit) {
    List<EndedStreams.Entry> requested =
        entries.stream().filter(entry -> isAsked(query, entry.type(), entry.identity())).toList();
    JsonArray rows = new JsonArray();
    requested.stream()
        .skip(offset)
        .limit(limit)
        .forEach(
            entry -> {
              JsonObject row = new JsonObject();
              row.addProperty("time", TextPage.time(entry.time()));
              row.addProperty("reason", entry.reason());
              addIdentity(row, entry.identity());
              row.addProperty("type", entry.type());
              addWatched(row, entry.watched());
              row.addProperty("sentBytes", entry.sentBytes());
              rows.add(row);
            });
    JsonObject content = new JsonObject();
    addRows(content, "streams", requested.size(), offset, rows);
    return content;
  }

  /** Adds the rows of a table of which the page shows a part. */
  static void addRows(JsonObject content, String name, int total, int offset, JsonArray rows) {
    content.addProperty("total", total);
    content.addProperty("offset", offset);
    content.addProperty("shown", rows.size());
    content.add(name, rows);
  }
}
