package io.watchgate.jsonpath;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Condition in {@code status.conditions}, without regard to case. As in kubectl wait, a condition
 * that was observed for an older generation than the object's is not met.
 */
record StatusCondition(String type, String status) implements Condition.OfObject {

  static StatusCondition parse(TextCursor cursor) throws JsonPathException {
    int start = cursor.column();
    String rest = cursor.rest();
    int equals = rest.indexOf('=');
    String type = equals < 0 ? rest : rest.substring(0, equals);
    String status = equals < 0 ? "True" : rest.substring(equals + 1);
    if (type.isEmpty()) {
      throw new JsonPathException(start, "expected the condition's type, such as Ready");
    }
    if (status.isEmpty()) {
      throw new JsonPathException(
          start + equals + 1, "expected the condition's status: True, False or Unknown");
    }
    return new StatusCondition(type, status);
  }

  @Override
  public boolean isMetBy(JsonElement object) {
    JsonElement status = member(object, "status");
    if (member(status, "conditions") instanceof JsonArray conditions) {
      for (JsonElement condition : conditions) {
        if (same(type, member(condition, "type"))) {
          return same(this.status, member(condition, "status"))
              && isOfPresentGeneration(object, status, condition);
        }
      }
    }
    return false;
  }

  private static boolean isOfPresentGeneration(
      JsonElement object, @Nullable JsonElement status, JsonElement condition) {
    OptionalLong generation = number(member(member(object, "metadata"), "generation"));
    OptionalLong observed = number(member(condition, "observedGeneration"));
    if (observed.isEmpty()) {
      observed = number(member(status, "observedGeneration"));
    }
    return generation.isEmpty()
        || observed.isEmpty()
        || observed.getAsLong() >= generation.getAsLong();
  }

  private static @Nullable JsonElement member(@Nullable JsonElement of, String name) {
    return of instanceof JsonObject object ? object.get(name) : null;
  }

  private static boolean same(String wanted, @Nullable JsonElement is) {
    return is instanceof JsonPrimitive text
        && text.getAsString().toLowerCase(Locale.ROOT).equals(wanted.toLowerCase(Locale.ROOT));
  }

  private static OptionalLong number(@Nullable JsonElement element) {
    try {
      return element instanceof JsonPrimitive number && number.isNumber()
          ? OptionalLong.of(number.getAsLong())
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
