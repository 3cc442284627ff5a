package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

/** Validation of port numbers. */
final class PortNumbers {
  private static final int MAX = 65_535;

  private PortNumbers() {}

  /** Collects the errors of a member that must be a port number. */
  static void check(JsonObject holder, String name, String field, FieldErrors invalid) {
    JsonElement value = JsonTree.at(holder, name);
    long port = JsonTree.number(holder, 0, name);
    if (value == null) {
      invalid.required(field + "." + name);
    } else if (port < 1 || port > MAX) {
      invalid.invalid(field + "." + name, value, "must be between 1 and 65535, inclusive");
    }
  }
}
