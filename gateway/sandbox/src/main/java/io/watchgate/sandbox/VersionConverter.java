package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.function.UnaryOperator;

/**
 * Converter between the stored version of a type and another version. It converts all members but
 * kind and apiVersion, and does not modify its argument.
 */
record VersionConverter(UnaryOperator<JsonObject> fromStored, UnaryOperator<JsonObject> toStored) {
  static final VersionConverter SAME =
      new VersionConverter(UnaryOperator.identity(), UnaryOperator.identity());
}
