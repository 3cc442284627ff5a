package io.watchgate.sandbox.schema;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * An object as an apiserver reads it.
 *
 * @param object a new object, without unknown fields, nulls and empty optional fields
 * @param unknownFields paths of the members for which there is no field
 */
public record DecodedObject(JsonObject object, List<String> unknownFields) {
  public DecodedObject {
    unknownFields = List.copyOf(unknownFields);
  }
}
