package io.watchgate.sandbox.schema;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * An object as an apiserver reads it.
 *
 * @param object a new one, without what is unknown, null or, in optional fields, empty
 * @param unknownFields the paths of what was left out because no field has that name
 */
public record DecodedObject(JsonObject object, List<String> unknownFields) {
  public DecodedObject {
    unknownFields = List.copyOf(unknownFields);
  }
}
