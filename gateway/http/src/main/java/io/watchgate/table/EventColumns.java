package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Columns of events of the core group and of events.k8s.io, which has different names for the same
 * fields.
 */
final class EventColumns {
  private EventColumns() {}

  static final List<TableColumn> EVENT =
      List.of(
          TableColumn.of(
              "Last Seen", "string", "Time since the last occurrence.", EventColumns::lastSeen),
          TableColumn.of(
              "Type", "Type of the event: Normal or Warning.", event -> event.get("type").text()),
          TableColumn.of("Reason", "Reason in one word.", event -> event.get("reason").text()),
          TableColumn.of("Object", "Object that the event concerns.", EventColumns::object),
          TableColumn.of(
                  "Subobject",
                  "Part of the object that the event concerns.",
                  event -> regarding(event).get("fieldPath").text())
              .wide(),
          TableColumn.of("Source", "Component that reported the event.", EventColumns::source)
              .wide(),
          TableColumn.of(
              "Message",
              "Description of the event.",
              event -> first(event.get("message"), event.get("note")).text().strip()),
          TableColumn.of(
                  "First Seen",
                  "string",
                  "Time since the first occurrence.",
                  EventColumns::firstSeen)
              .wide(),
          TableColumn.of("Count", "string", "Number of occurrences.", EventColumns::count).wide(),
          TableColumn.name().wide());

  private static JsonElement lastSeen(JsonView event, Instant now) {
    JsonView series = event.get("series");
    if (series.exists()) {
      return since(series.get("lastObservedTime").time(), now);
    }
    Optional<Instant> last =
        first(event.get("lastTimestamp"), event.get("deprecatedLastTimestamp")).time();
    return last.isPresent() ? since(last, now) : firstSeen(event, now);
  }

  private static JsonElement firstSeen(JsonView event, Instant now) {
    return since(
        first(event.get("firstTimestamp"), event.get("deprecatedFirstTimestamp"))
            .time()
            .or(() -> event.get("eventTime").time()),
        now);
  }

  private static JsonElement count(JsonView event, Instant now) {
    JsonView series = event.get("series");
    int count = first(event.get("count"), event.get("deprecatedCount")).number();
    return new JsonPrimitive(
        // An event that happened once may lack the count.
        series.exists() ? series.get("count").number() : Math.max(count, 1));
  }

  private static String object(JsonView event) {
    String kind = regarding(event).get("kind").text().toLowerCase(Locale.ROOT);
    String name = regarding(event).get("name").text();
    return name.isEmpty() ? kind : kind + "/" + name;
  }

  private static JsonView regarding(JsonView event) {
    return first(event.get("involvedObject"), event.get("regarding"));
  }

  private static String source(JsonView event) {
    JsonView source = first(event.get("source"), event.get("deprecatedSource"));
    JsonView controller = first(event.get("reportingComponent"), event.get("reportingController"));
    String component = firstText(source.get("component"), controller);
    String instance = firstText(source.get("host"), event.get("reportingInstance"));
    return instance.isEmpty() ? component : component + ", " + instance;
  }

  private static JsonView first(JsonView a, JsonView b) {
    return a.exists() ? a : b;
  }

  private static String firstText(JsonView a, JsonView b) {
    return a.text().isEmpty() ? b.text() : a.text();
  }

  private static JsonElement since(Optional<Instant> time, Instant now) {
    return new JsonPrimitive(HumanDuration.since(time, now));
  }
}
