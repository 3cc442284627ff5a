package io.watchgate.path;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.function.Consumer;

/** From one place in a document to those below it. What is not there leads nowhere. */
sealed interface PathStep {
  void from(JsonElement place, Consumer<JsonElement> found);

  /** A member of an object. */
  record Member(String name) implements PathStep {
    @Override
    public void from(JsonElement place, Consumer<JsonElement> found) {
      JsonElement member = place instanceof JsonObject object ? object.get(name) : null;
      if (member != null) {
        found.accept(member);
      }
    }
  }

  /** An element of an array; negative: counted from the end, -1 the last. */
  record Element(int index) implements PathStep {
    @Override
    public void from(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        int at = index < 0 ? array.size() + index : index;
        if (at >= 0 && at < array.size()) {
          found.accept(array.get(at));
        }
      }
    }
  }

  /** Each element of an array, each member's value of an object. */
  record Every() implements PathStep {
    @Override
    public void from(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        array.forEach(found);
      } else if (place instanceof JsonObject object) {
        object.asMap().values().forEach(found);
      }
    }
  }

  /** The elements of an array in which a path leads to something, or to a value. */
  record Filter(JsonPath path, Wanted wanted) implements PathStep {
    @Override
    public void from(JsonElement place, Consumer<JsonElement> found) {
      if (place instanceof JsonArray array) {
        for (JsonElement element : array) {
          if (wanted.by(path.find(element))) {
            found.accept(element);
          }
        }
      }
    }
  }

  /** What a filter asks of the values that its path leads to. */
  sealed interface Wanted {
    boolean by(List<JsonElement> values);

    /** There is one. */
    record Any() implements Wanted {
      @Override
      public boolean by(List<JsonElement> values) {
        return !values.isEmpty();
      }
    }

    /** One of them equals. */
    record Equal(JsonElement literal) implements Wanted {
      @Override
      public boolean by(List<JsonElement> values) {
        return values.contains(literal);
      }
    }

    /** There is one, and none equals. */
    record Unequal(JsonElement literal) implements Wanted {
      @Override
      public boolean by(List<JsonElement> values) {
        return !values.isEmpty() && !values.contains(literal);
      }
    }
  }
}
