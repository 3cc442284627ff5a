package io.watchgate.jsonpath;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.function.Consumer;

/** One part of a path: from an element to elements below it. A missing element has no results. */
sealed interface JsonPathStep {
  void select(JsonElement place, Consumer<JsonElement> found);

  /** Member of an object. */
  record Member(String name) implements JsonPathStep {
    @Override
    public void select(JsonElement place, Consumer<JsonElement> found) {
      JsonElement member = place instanceof JsonObject object ? object.get(name) : null;
      if (member != null) {
        found.accept(member);
      }
    }
  }

  /** Element of an array; negative: counted from the end, -1 is the last. */
  record Element(int index) implements JsonPathStep {
    @Override
    public void select(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        int at = index < 0 ? array.size() + index : index;
        if (at >= 0 && at < array.size()) {
          found.accept(array.get(at));
        }
      }
    }
  }

  /** Each element of an array, each member's value of an object. */
  record Every() implements JsonPathStep {
    @Override
    public void select(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        array.forEach(found);
      } else if (place instanceof JsonObject object) {
        object.asMap().values().forEach(found);
      }
    }
  }

  /** Elements of an array in which a path leads to a value, or to a specified one. */
  record Filter(JsonPath path, Wanted wanted) implements JsonPathStep {
    @Override
    public void select(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        for (JsonElement element : array) {
          if (wanted.isMetBy(path.find(element))) {
            found.accept(element);
          }
        }
      }
    }
  }

  /** Condition of a filter on the values of its path. */
  sealed interface Wanted {
    boolean isMetBy(List<JsonElement> values);

    /** There is a value. */
    record Any() implements Wanted {
      @Override
      public boolean isMetBy(List<JsonElement> values) {
        return !values.isEmpty();
      }
    }

    /** One of the values is equal. */
    record Equal(JsonElement literal) implements Wanted {
      @Override
      public boolean isMetBy(List<JsonElement> values) {
        return values.contains(literal);
      }
    }

    /** There is a value, and none is equal. */
    record Unequal(JsonElement literal) implements Wanted {
      @Override
      public boolean isMetBy(List<JsonElement> values) {
        return !values.isEmpty() && !values.contains(literal);
      }
    }
  }
}
