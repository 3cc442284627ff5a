package io.watchgate.sandbox.patch;

import com.google.gson.JsonObject;
import io.watchgate.sandbox.schema.Schema;
import io.watchgate.sandbox.schema.SchemaType;

/**
 * A merge patch that merges some lists instead of replacing them: which, and by which key, the
 * schema says. Its directives are members of the patch:
 *
 * <ul>
 *   <li>{@code $patch: replace | delete}, in an object: it becomes the patch, or empty; in an
 *       element of a list: the list becomes the rest of the patch's, or the element with this key
 *       goes
 *   <li>{@code $deleteFromPrimitiveList/NAME}: values that leave the list NAME
 *   <li>{@code $setElementOrder/NAME}: how the list NAME is ordered after all else
 *   <li>{@code $retainKeys}: members that are not named go
 * </ul>
 *
 * <p>As at an apiserver, where a directive has nothing to act on it goes with the value that holds
 * it, or stays in it to be found as an unknown field.
 */
record StrategicMergePatch(JsonObject patch, Schema schema) implements Patch {

  @Override
  public JsonObject apply(JsonObject object) throws PatchException {
    return ObjectMerge.merge(
            object, patch, MergeStrategy.ofObject(new SchemaType.Struct(schema.name())))
        .deepCopy();
  }
}
