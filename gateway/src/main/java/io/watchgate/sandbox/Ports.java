package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

/** Numbers of ports. */
final class Ports {
  private static final int MAX = 65_535;

  private Ports() {}

  /** Collects what is wrong with a member that has to be the number of a port. */
  static void check(JsonObject holder, String name, String field, Invalid invalid) {
    JsonElement value = Tree.at(holder, name);
    long port = Tree.number(holder, 0, name);
    if (value == null) {
      invalid.required(field + "." + name);
    } else if (port < 1 || port > MAX) {
      invalid.invalid(field + "." + name, value, "must be between 1 and 65535, inclusive");
    }
  }
}
