package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.StatusException;
import io.watchgate.http.StatusException.Cause;
import io.watchgate.http.StatusException.Details;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Collector of the validation errors of an object, like {@code field.ErrorList} of apimachinery.
 */
final class FieldErrors {
  private static final int MAX_PORT = 65_535;

  private final List<Cause> causes = new ArrayList<>();

  void required(String field, String detail) {
    add("FieldValueRequired", "Required value" + (detail.isEmpty() ? "" : ": " + detail), field);
  }

  void required(String field) {
    required(field, "");
  }

  void invalid(String field, @Nullable JsonElement value, String detail) {
    JsonElement shown = value == null ? JsonNull.INSTANCE : value;
    add(
        "FieldValueInvalid",
        "Invalid value: " + GoJsonText.text(shown, GoJsonText.Order.SORTED) + ": " + detail,
        field);
  }

  void invalid(String field, String value, String detail) {
    invalid(field, new JsonPrimitive(value), detail);
  }

  void duplicate(String field, String value) {
    add("FieldValueDuplicate", "Duplicate value: \"" + value + "\"", field);
  }

  void tooLong(String field, int most) {
    add("FieldValueTooLong", "Too long: may not be more than " + most + " bytes", field);
  }

  /** Collects the error of a member that must be a port number. */
  void checkPort(JsonObject holder, String name, String field) {
    JsonElement value = JsonTree.at(holder, name);
    long port = JsonTree.number(holder, 0, name);
    if (value == null) {
      required(field + "." + name);
    } else if (port < 1 || port > MAX_PORT) {
      invalid(field + "." + name, value, "must be between 1 and 65535, inclusive");
    }
  }

  void forbidden(String field, String detail) {
    add("FieldValueForbidden", "Forbidden: " + detail, field);
  }

  void unsupported(String field, String value, List<String> supported) {
    unsupportedText(field, "\"" + value + "\"", supported);
  }

  private void unsupportedText(String field, String value, List<String> supported) {
    String all = supported.stream().map(text -> '"' + text + '"').collect(Collectors.joining(", "));
    add(
        "FieldValueNotSupported",
        "Unsupported value: " + value + ": supported values: " + all,
        field);
  }

  /** Like {@link #unsupported}, for a parameter that may be repeated. */
  void unsupportedList(String field, String value, List<String> supported) {
    unsupportedText(field, "[\"" + value + "\"]", supported);
  }

  private void add(String reason, String message, String field) {
    causes.add(new Cause(reason, message, field));
  }

  /**
   * Throws if there is any error.
   *
   * @param group group of the kind; empty for the core group
   */
  void throwIfAny(String group, String kind, String name) throws StatusException {
    if (causes.isEmpty()) {
      return;
    }
    String all =
        causes.stream()
            .map(cause -> cause.field() + ": " + cause.message())
            .distinct()
            .collect(Collectors.joining(", "));
    throw new StatusException(
        422,
        "Invalid",
        "%s%s \"%s\" is invalid: %s"
            .formatted(
                kind,
                group.isEmpty() ? "" : "." + group,
                name,
                causes.size() == 1 ? all : "[" + all + "]"),
        new Details(name, group, kind, causes, 0));
  }
}
