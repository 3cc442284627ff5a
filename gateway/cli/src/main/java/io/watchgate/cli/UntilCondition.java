package io.watchgate.cli;

import com.google.gson.JsonElement;
import io.watchgate.jsonpath.Condition;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;

/**
 * Condition of {@code --until}, which an object of the stream has to meet.
 *
 * @param text condition as typed
 */
record UntilCondition(String text, Condition condition) {

  /** Picocli converter. */
  static final class Converter implements ITypeConverter<UntilCondition> {
    @Override
    public UntilCondition convert(String text) {
      return new UntilCondition(text, PathArgument.parse("", text, Condition::parse));
    }
  }

  /** Returns a description of the first event that meets the condition. */
  Optional<String> firstMatch(List<WatchEvent> events) {
    return events.stream().filter(this::isMetBy).findFirst().map(UntilCondition::description);
  }

  /** Returns whether the condition needs the body of the object. */
  boolean needsBody() {
    return condition instanceof Condition.OfObject;
  }

  /** Returns whether an empty first snapshot meets the condition. */
  boolean isMetByEmptySnapshot() {
    return condition instanceof Condition.Deleted;
  }

  /** Returns whether the event brings its object into a state that meets the condition. */
  boolean isMetBy(WatchEvent event) {
    boolean deleted = event.getType() == EventType.EVENT_TYPE_DELETED;
    return switch (condition) {
      case Condition.Deleted gone ->
          // An object that no longer matches may still exist.
          deleted && event.getRemovalReason() != RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES;
      case Condition.Created there -> !deleted;
      case Condition.OfObject ofObject -> {
        JsonElement object = JsonView.of(event.getObject().toByteArray()).element();
        yield !deleted && object != null && ofObject.isMetBy(object);
      }
    };
  }

  private static String description(WatchEvent event) {
    JsonView object = JsonView.of(event.getObject().toByteArray());
    String namespace = event.getKey().getNamespace();
    return object.get("kind").text().toLowerCase(Locale.ROOT)
        + "/"
        + event.getKey().getName()
        + (namespace.isEmpty() ? "" : " in " + namespace)
        + " at version "
        + event.getResourceVersion();
  }
}
