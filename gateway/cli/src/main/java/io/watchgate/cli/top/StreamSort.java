package io.watchgate.cli.top;

import com.google.gson.JsonObject;
import java.util.Comparator;

/** Order of the rows of streams, by the same keys as {@code StreamsPage.Order} of the gateway. */
public enum StreamSort {
  BEHIND("behindEvents"),
  BYTES("behindBytes"),
  SECONDS("behindSeconds"),
  SENT("sentBytes"),
  OPENED("opened");

  private final String field;

  StreamSort(String field) {
    this.field = field;
  }

  /** Returns the order of rows, the same over several replicas. */
  Comparator<JsonObject> comparator() {
    Comparator<JsonObject> order =
        this == OPENED
            ? Comparator.comparing(row -> row.get(field).getAsString())
            : Comparator.comparingDouble(row -> -row.get(field).getAsDouble());
    return order.thenComparing(row -> row.get("stream").getAsString());
  }
}
