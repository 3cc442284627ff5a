package io.watchgate.sandbox.patch;

import com.google.gson.JsonObject;
import io.watchgate.sandbox.schema.Schema;
import io.watchgate.sandbox.schema.SchemaType;

/**
 * Merge patch that merges some lists instead of replacing them. The schema defines these lists and
 * their merge keys. The directives are members of the patch:
 *
 * <ul>
 *   <li>{@code $patch: replace | delete} in an object: the object becomes the patch, or empty. In
 *       an element of a list: the list becomes the other elements of the patch, or the element with
 *       this key is removed.
 *   <li>{@code $deleteFromPrimitiveList/NAME}: values to remove from the list NAME
 *   <li>{@code $setElementOrder/NAME}: order of the list NAME after all other changes
 *   <li>{@code $retainKeys}: members that are not named are removed
 * </ul>
 *
 * <p>A directive without anything to act on is removed together with the value that contains it, or
 * stays in the value as an unknown field. The apiserver does the same.
 */
record StrategicMergePatch(JsonObject patch, Schema schema) implements Patch {

  @Override
  public JsonObject apply(JsonObject object) throws PatchException {
    return ObjectMerge.merge(
            object, patch, MergeStrategy.ofObject(new SchemaType.Struct(schema.name())))
        .deepCopy();
  }
}
