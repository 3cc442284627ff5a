package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.function.UnaryOperator;

/**
 * How one version of a type writes what is stored in the first one. Members other than kind and
 * apiVersion; what is given is not changed.
 */
record Shape(UnaryOperator<JsonObject> fromStored, UnaryOperator<JsonObject> toStored) {
  static final Shape SAME = new Shape(UnaryOperator.identity(), UnaryOperator.identity());
}
