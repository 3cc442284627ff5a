package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * First page of the port: the state of the gateway, the rates of the last second, the types with
 * their failures, the streams that are most behind, those that ended last, and what happened last.
 * The page of the rates has those of the last minutes.
 */
public final class OverviewPage {
  static final String PATH = "/";

  /** Rows of streams and of events: a screen of the most remarkable ones. */
  private static final int MAX_ROWS = 10;

  /** Period in which ended streams are counted. Only the last 10,000 ended streams are kept. */
  private static final Duration ENDED_PERIOD = Duration.ofMinutes(15);

  private final InstantSource clock;
  private final StatusPage status;
  private final TypesPage types;
  private final StreamsPage streams;
  private final RateHistory rates;

  public OverviewPage(
      InstantSource clock,
      StatusPage status,
      TypesPage types,
      StreamsPage streams,
      RateHistory rates) {
    this.clock = clock;
    this.status = status;
    this.types = types;
    this.streams = streams;
    this.rates = rates;
  }

  /** Returns the pages. */
  public List<DebugPage> pages() {
    return List.of(
        new DebugPage(
            PATH,
            DebugPage.Access.GUARDED,
            List.of(StreamsPage.sortParameter()),
            "The gateway on one page: state, rates, types, the streams most behind and the last"
                + " that ended, last events.",
            this::overview),
        new DebugPage(
            "/debug/rates",
            DebugPage.Access.GUARDED,
            List.of(),
            "Changes received, events sent and lag of deliveries, each second of five minutes.",
            query -> rates()));
  }

  private JsonObject overview(PageQuery query) throws PageException, InterruptedException {
    JsonObject content = status.content();
    // The table of them has their name.
    content.add("openStreams", content.remove("streams"));
    List<RateHistory.Sample> samples = rates.samples();
    if (!samples.isEmpty()) {
      addRates(content, samples.getLast());
    }
    addEnds(content, streams.endedSince(clock.instant().minus(ENDED_PERIOD)));
    content.add("types", types.rows());
    content.add("streams", streams.first(query, MAX_ROWS));
    content.add("endedStreams", streams.lastEnded(MAX_ROWS));
    content.add("events", types.lastEvents(MAX_ROWS));
    return content;
  }

  /** Adds the number of ends, and that of each reason, the most frequent one first. */
  private static void addEnds(JsonObject content, Map<String, Integer> counts) {
    content.addProperty(
        "endedIn15Minutes", counts.values().stream().mapToInt(Integer::intValue).sum());
    content.addProperty(
        "endReasons",
        counts.entrySet().stream()
            .sorted(
                Map.Entry.<String, Integer>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()))
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", ")));
  }

  private JsonObject rates() {
    JsonArray rows = new JsonArray();
    for (RateHistory.Sample sample : rates.samples()) {
      JsonObject row = new JsonObject();
      addRates(row, sample);
      rows.add(row);
    }
    JsonObject content = new JsonObject();
    content.add("rates", rows);
    return content;
  }

  private static void addRates(JsonObject row, RateHistory.Sample sample) {
    row.addProperty("time", TextPage.time(sample.time()));
    row.addProperty("receivedPerSecond", Math.round(sample.received()));
    row.addProperty("sentPerSecond", Math.round(sample.sent()));
    row.addProperty("lagP99Millis", Math.round(sample.lagSeconds() * 1e4) / 10.0);
  }
}
