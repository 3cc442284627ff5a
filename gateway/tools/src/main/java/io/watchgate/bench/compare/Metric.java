package io.watchgate.bench.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

/** A value to compare, with its path in the output of {@code bench --json}. */
enum Metric {
  CPU_PER_DELIVERY("server CPU a delivery, µs", "cpu", "serverMicros"),
  CPU("server CPU, % of the machine", "cpu", "serverPercent"),
  ALLOCATED("allocated bytes a delivery", "memory", "allocatedPerDelivery"),
  RESIDENT("resident MiB", "memory", "residentBytes"),
  P50("p50, µs", "latency", "p50"),
  P99("p99, µs", "latency", "p99"),
  /**
   * Above 1, a contender joins events; a contender that joins none is then no basis for comparison.
   */
  CHANGES("changes a response", "", "deliveries"),
  JOINING("joined after, s", "opening", "joining"),
  JOINING_CPU("server CPU to join, s", "opening", "joiningCpu"),
  RETURNING("came back after, s", "opening", "returning"),
  RATE("deliveries/s", "", "deliveries");

  private static final double MIB = 1 << 20;

  private final String text;
  private final String group;
  private final String member;

  Metric(String text, String group, String member) {
    this.text = text;
    this.group = group;
    this.member = member;
  }

  String text() {
    return text;
  }

  /**
   * Returns the value without the part that another contender measured alone, if the value includes
   * that part. For a value per delivery, the result is the cost of one additional delivery of each
   * write.
   *
   * @param alone result with the same writes and fewer deliveries
   */
  double without(JsonObject alone, JsonObject result) {
    return switch (this) {
      case CPU_PER_DELIVERY ->
          (of(result) * deliveriesPerWrite(result) - of(alone) * deliveriesPerWrite(alone))
              / (deliveriesPerWrite(result) - deliveriesPerWrite(alone));
      case CPU -> of(result) - of(alone);
      case ALLOCATED, RESIDENT, P50, P99, CHANGES, JOINING, JOINING_CPU, RETURNING, RATE ->
          of(result);
    };
  }

  private static double deliveriesPerWrite(JsonObject result) {
    return result.get("deliveries").getAsDouble() / result.get("writes").getAsDouble();
  }

  /** Returns the value; NaN if it was not measured. */
  double of(JsonObject result) {
    JsonObject from = group.isEmpty() ? result : result.getAsJsonObject(group);
    JsonElement value = from.get(member);
    if (value == null || value.isJsonNull()) {
      return Double.NaN;
    }
    return switch (this) {
      case RATE -> value.getAsDouble() / result.get("seconds").getAsDouble();
      case CHANGES -> value.getAsDouble() / result.get("responses").getAsDouble();
      case RESIDENT -> value.getAsDouble() / MIB;
      case CPU_PER_DELIVERY, CPU, ALLOCATED, P50, P99, JOINING, JOINING_CPU, RETURNING ->
          value.getAsDouble();
    };
  }
}
