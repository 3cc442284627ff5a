package io.watchgate.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;

/** Figures for programs: an object whose members are named as in {@link BenchResult}. */
public final class BenchResultJson {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .registerTypeAdapter(Double.class, unknownIsNull())
          .registerTypeAdapter(double.class, unknownIsNull())
          .create();

  private BenchResultJson() {}

  /** JSON has no NaN. */
  private static JsonSerializer<Double> unknownIsNull() {
    return (value, type, context) ->
        Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
  }

  /** Ends with a line break. */
  public static String text(BenchResult figures) {
    return GSON.toJson(figures) + "\n";
  }
}
