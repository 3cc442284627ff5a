package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.labels.LabelSyntax;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Access to the metadata of an object: shape, order of the members, validation. */
final class Metadata {
  static final String NAME = "name";
  static final String NAMESPACE = "namespace";
  static final String UID = "uid";
  static final String VERSION = "resourceVersion";
  static final String GENERATION = "generation";
  static final String CREATED = "creationTimestamp";
  static final String DELETED = "deletionTimestamp";
  static final String GRACE = "deletionGracePeriodSeconds";
  static final String FINALIZERS = "finalizers";
  private static final int MAX_ANNOTATIONS = 256 << 10;

  /**
   * Order of the members in Go. Members that are missing here, such as managedFields, are not
   * stored.
   */
  private static final List<String> ORDER =
      List.of(
          NAME,
          "generateName",
          NAMESPACE,
          UID,
          VERSION,
          GENERATION,
          CREATED,
          DELETED,
          GRACE,
          "labels",
          "annotations",
          "ownerReferences",
          FINALIZERS);

  private static final List<String> TEXTS =
      List.of(NAME, "generateName", NAMESPACE, UID, VERSION, CREATED, DELETED);

  private Metadata() {}

  /** Returns the metadata of an object; adds empty metadata if there is none. */
  static JsonObject of(JsonObject object) {
    return JsonTree.objectOrNew(object, "metadata");
  }

  /**
   * Returns the error in the shape of an object's metadata, in the words of Go's decoder; null if
   * the shape is valid.
   */
  static @Nullable String shapeError(JsonObject object) {
    JsonElement metadata = JsonTree.at(object, "metadata");
    if (metadata == null) {
      return null;
    }
    if (!(metadata instanceof JsonObject found)) {
      return unmarshalError(metadata, "metadata", "v1.ObjectMeta");
    }
    for (String name : TEXTS) {
      JsonElement value = JsonTree.at(found, name);
      if (value != null && !isText(value)) {
        return unmarshalError(value, "metadata." + name, "string");
      }
    }
    for (String name : List.of("labels", "annotations")) {
      JsonElement value = JsonTree.at(found, name);
      if (value != null && !(value instanceof JsonObject)) {
        return unmarshalError(value, "metadata." + name, "map[string]string");
      }
      if (value instanceof JsonObject map) {
        for (JsonElement one : map.asMap().values()) {
          if (!one.isJsonNull() && !isText(one)) {
            return unmarshalError(one, "metadata." + name, "string");
          }
        }
      }
    }
    String wrong = arrayShapeError(found, FINALIZERS, "string");
    return wrong != null ? wrong : arrayShapeError(found, "ownerReferences", "v1.OwnerReference");
  }

  private static @Nullable String arrayShapeError(JsonObject metadata, String name, String type) {
    JsonElement value = JsonTree.at(metadata, name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof JsonArray array)) {
      return unmarshalError(value, "metadata." + name, "[]" + type);
    }
    for (JsonElement one : array) {
      if (type.equals("string") ? !isText(one) : !(one instanceof JsonObject)) {
        return unmarshalError(one, "metadata." + name, type);
      }
    }
    return null;
  }

  private static boolean isText(JsonElement value) {
    return value instanceof JsonPrimitive primitive && primitive.isString();
  }

  private static String unmarshalError(JsonElement value, String field, String type) {
    String found =
        switch (value) {
          case JsonObject _ -> "object";
          case JsonArray _ -> "array";
          case JsonPrimitive primitive when primitive.isString() -> "string";
          case JsonPrimitive primitive when primitive.isNumber() -> "number";
          default -> "bool";
        };
    return "json: cannot unmarshal %s into Go struct field ObjectMeta.%s of type %s"
        .formatted(found, field, type);
  }

  /** Returns a copy in Go's order, without empty members and members that are not stored. */
  static JsonObject canonical(JsonObject metadata) {
    JsonObject result = new JsonObject();
    for (String name : ORDER) {
      JsonElement value = JsonTree.at(metadata, name);
      if (value == null || isEmpty(value)) {
        continue;
      }
      result.add(name, value instanceof JsonObject map ? sorted(map) : value.deepCopy());
    }
    return result;
  }

  private static boolean isEmpty(JsonElement value) {
    return switch (value) {
      case JsonObject object -> object.isEmpty();
      case JsonArray array -> array.isEmpty();
      default -> value.getAsString().isEmpty();
    };
  }

  private static JsonObject sorted(JsonObject map) {
    JsonObject result = new JsonObject();
    for (Map.Entry<String, JsonElement> entry : new TreeMap<>(map.asMap()).entrySet()) {
      result.add(
          entry.getKey(), entry.getValue().isJsonNull() ? new JsonPrimitive("") : entry.getValue());
    }
    return result;
  }

  /** Collects the errors in the names, labels, annotations and owner references of an object. */
  static void validate(JsonObject metadata, NameRule rule, FieldErrors invalid) {
    String prefix = JsonTree.text(metadata, "generateName");
    if (!prefix.isEmpty() && !rule.errorInPrefix(prefix).isEmpty()) {
      invalid.invalid("metadata.generateName", prefix, rule.errorInPrefix(prefix));
    }
    String name = JsonTree.text(metadata, NAME);
    if (name.isEmpty()) {
      invalid.required("metadata.name", "name or generateName is required");
    } else if (!rule.errorIn(name).isEmpty()) {
      invalid.invalid("metadata.name", name, rule.errorIn(name));
    }
    labels(JsonTree.object(metadata, "labels"), "metadata.labels", invalid);
    annotations(JsonTree.object(metadata, "annotations"), invalid);
    List<JsonObject> owners = JsonTree.objects(metadata, "ownerReferences");
    for (int i = 0; i < owners.size(); i++) {
      for (String required : List.of("apiVersion", "kind", NAME, UID)) {
        if (JsonTree.text(owners.get(i), required).isEmpty()) {
          invalid.invalid(
              "metadata.ownerReferences[" + i + "]." + required,
              "",
              required + " must not be empty");
        }
      }
    }
    for (String finalizer : JsonTree.texts(metadata, FINALIZERS)) {
      String wrong = LabelSyntax.keyError(finalizer);
      if (!wrong.isEmpty()) {
        invalid.invalid("metadata.finalizers", finalizer, wrong);
      }
    }
  }

  /** Collects the errors in labels, which may be those of an object, a selector or a template. */
  static void labels(@Nullable JsonObject labels, String field, FieldErrors invalid) {
    if (labels == null) {
      return;
    }
    for (Map.Entry<String, JsonElement> label : labels.entrySet()) {
      String wrong = LabelSyntax.keyError(label.getKey());
      if (!wrong.isEmpty()) {
        invalid.invalid(field, label.getKey(), wrong);
      }
      String value = JsonTree.text(labels, label.getKey());
      String wrongValue = LabelSyntax.valueError(value);
      if (!wrongValue.isEmpty()) {
        invalid.invalid(field, value, wrongValue);
      }
    }
  }

  private static void annotations(@Nullable JsonObject annotations, FieldErrors invalid) {
    if (annotations == null) {
      return;
    }
    long size = 0;
    for (Map.Entry<String, JsonElement> annotation : annotations.entrySet()) {
      String wrong = LabelSyntax.keyError(annotation.getKey().toLowerCase(Locale.ROOT));
      if (!wrong.isEmpty()) {
        invalid.invalid("metadata.annotations", annotation.getKey(), wrong);
      }
      size +=
          annotation.getKey().length() + JsonTree.text(annotations, annotation.getKey()).length();
    }
    if (size > MAX_ANNOTATIONS) {
      invalid.tooLong("metadata.annotations", MAX_ANNOTATIONS);
    }
  }
}
