package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.function.UnaryOperator;

/**
 * How one version of a type writes what is stored in the first one. Members other than kind and
 * apiVersion; what is given is not changed.
 */
record VersionConverter(UnaryOperator<JsonObject> fromStored, UnaryOperator<JsonObject> toStored) {
  static final VersionConverter SAME =
      new VersionConverter(UnaryOperator.identity(), UnaryOperator.identity());
}
