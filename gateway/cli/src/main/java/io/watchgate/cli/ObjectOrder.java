package io.watchgate.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import io.watchgate.jsonpath.JsonPath;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;

/**
 * Order of {@code --sort-by}: by the first value of a path. Objects without a value come first,
 * then numbers by their size, then texts.
 *
 * @param text path as typed
 */
record ObjectOrder(String text, JsonPath path) {
  /** Picocli converter; braces around the path may be left out. */
  static final class Converter implements ITypeConverter<ObjectOrder> {
    @Override
    public ObjectOrder convert(String text) {
      return new ObjectOrder(text, PathArgument.path("", text));
    }
  }

  private record Keyed(@Nullable JsonPrimitive key, WatchEvent event) {
    boolean isMissing() {
      return key == null;
    }

    boolean isText() {
      return key != null && !key.isNumber();
    }

    double number() {
      return key != null && key.isNumber() ? key.getAsDouble() : 0;
    }

    String text() {
      return key == null ? "" : key.getAsString();
    }
  }

  private static final Comparator<Keyed> ORDER =
      Comparator.comparing(Keyed::isMissing, Comparator.reverseOrder())
          .thenComparing(Keyed::isText)
          .thenComparingDouble(Keyed::number)
          .thenComparing(Keyed::text);

  /**
   * Returns the objects in this order; objects with equal values keep theirs.
   *
   * @param onNoValue run if no object has a value
   */
  List<WatchEvent> sorted(List<WatchEvent> objects, Runnable onNoValue) {
    List<Keyed> keyed = new ArrayList<>(objects.size());
    for (WatchEvent object : objects) {
      JsonElement document = JsonView.of(object.getObject().toByteArray()).element();
      List<JsonElement> values = path.find(document == null ? JsonNull.INSTANCE : document);
      keyed.add(
          new Keyed(
              !values.isEmpty() && values.getFirst() instanceof JsonPrimitive key ? key : null,
              object));
    }
    if (keyed.stream().allMatch(Keyed::isMissing)) {
      onNoValue.run();
    }
    keyed.sort(ORDER);
    return keyed.stream().map(Keyed::event).toList();
  }
}
