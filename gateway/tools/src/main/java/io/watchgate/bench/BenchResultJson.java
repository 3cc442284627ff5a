package io.watchgate.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;

/** JSON encoding of a benchmark result; members are named as in {@link BenchResult}. */
public final class BenchResultJson {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .registerTypeAdapter(Double.class, unknownIsNull())
          .registerTypeAdapter(double.class, unknownIsNull())
          .create();

  private BenchResultJson() {}

  /** Returns a serializer that writes NaN and infinities as null, because JSON has neither. */
  private static JsonSerializer<Double> unknownIsNull() {
    return (value, type, context) ->
        Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
  }

  /** Returns the result as JSON with a final line break. */
  public static String text(BenchResult figures) {
    return GSON.toJson(figures) + "\n";
  }
}
