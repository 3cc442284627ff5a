package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a JSON patch.
 *
 * @param number index from 0, for error messages
 * @param path target of the operation
 * @param from source of a move or copy; otherwise equal to path
 * @param value value of an add, replace or test; JSON null if there is none, as in an apiserver
 */
record JsonPatchOperation(
    int number, Kind kind, PatchPointer path, PatchPointer from, JsonElement value) {
  enum Kind {
    ADD,
    REMOVE,
    REPLACE,
    MOVE,
    COPY,
    TEST;

    private static @Nullable Kind of(String name) {
      return Arrays.stream(values())
          .filter(kind -> kind.text().equals(name))
          .findFirst()
          .orElse(null);
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Parses an operation. Only an element of another type is malformed; an invalid operation does
   * not apply.
   */
  static JsonPatchOperation parse(int number, JsonElement element) throws PatchException {
    if (!(element instanceof JsonObject operation)) {
      throw PatchException.malformed(
          "operation " + number + " must be an object, not " + StrictJson.kind(element));
    }
    String name = text(number, operation, "op");
    Kind kind = Kind.of(name);
    if (kind == null) {
      throw PatchException.notApplicable(
          "operation %d: op must be add, remove, replace, move, copy or test, not \"%s\""
              .formatted(number, name));
    }
    PatchPointer path = pointer(number, operation, "path");
    boolean takes = kind == Kind.MOVE || kind == Kind.COPY;
    PatchPointer from = takes ? pointer(number, operation, "from") : path;
    return new JsonPatchOperation(
        number, kind, path, from, PatchPointer.orNull(operation.get("value")));
  }

  /** Returns the document after the operation; may modify the given document. */
  JsonElement apply(JsonElement document) throws PatchException {
    return switch (kind) {
      case ADD -> {
        add(document, value.deepCopy());
        yield document;
      }
      case REMOVE -> {
        remove(document, path);
        yield document;
      }
      case REPLACE -> replace(document);
      case MOVE -> {
        // The value is removed first, so the next element of an array gets its index. The apiserver
        // then accepts a path below "from", which is in that next element; the RFC forbids all
        // paths below "from".
        add(document, remove(document, from));
        yield document;
      }
      case COPY -> {
        add(document, get(document, from).deepCopy());
        yield document;
      }
      case TEST -> {
        test(document);
        yield document;
      }
    };
  }

  /** Returns the size of the value that a copy adds to the document; 0 for other operations. */
  long copiedSize(JsonElement document) throws PatchException {
    return kind == Kind.COPY ? PatchSizeLimit.size(get(document, from)) : 0;
  }

  private void add(JsonElement document, JsonElement added) throws PatchException {
    String name = requireLastName(path);
    requireDepth(added);
    if (parent(document, path) instanceof JsonArray array) {
      int size = array.size();
      array.asList().add(name.equals("-") ? size : index(path, size + 1), added);
    } else {
      objectOf(document, path).add(name, added);
    }
  }

  private JsonElement remove(JsonElement document, PatchPointer at) throws PatchException {
    String name = requireLastName(at);
    if (parent(document, at) instanceof JsonArray array) {
      return array.remove(index(at, array.size()));
    }
    JsonElement removed = objectOf(document, at).remove(name);
    if (removed == null) {
      throw notApplicable("there is no " + at.text());
    }
    return removed;
  }

  /**
   * Replaces a value. Adds a member that does not exist, as the apiserver does; the RFC requires an
   * error.
   */
  private JsonElement replace(JsonElement document) throws PatchException {
    if (path.last() == null) {
      return value.deepCopy();
    }
    requireDepth(value);
    if (parent(document, path) instanceof JsonArray array) {
      array.set(index(path, array.size()), value.deepCopy());
    } else {
      objectOf(document, path).add(requireLastName(path), value.deepCopy());
    }
    return document;
  }

  private void requireDepth(JsonElement added) throws PatchException {
    if (path.parents().size() + 1 + PatchSizeLimit.depth(added) > PatchSizeLimit.MAX_DEPTH) {
      throw notApplicable("it would be nested deeper than " + PatchSizeLimit.MAX_DEPTH);
    }
  }

  private void test(JsonElement document) throws PatchException {
    JsonElement found = path.last() == null ? document : get(document, path);
    if (!ExactEquality.isEqual(found, value)) {
      // The values are content of the object, which must not be in errors and logs.
      throw notApplicable("the value there is another one");
    }
  }

  private JsonElement get(JsonElement document, PatchPointer at) throws PatchException {
    return parent(document, at) instanceof JsonArray array
        ? array.get(index(at, array.size()))
        : PatchPointer.orNull(objectOf(document, at).get(requireLastName(at)));
  }

  private JsonElement parent(JsonElement document, PatchPointer at) throws PatchException {
    JsonElement holder = at.parent(document);
    if (holder == null) {
      throw notApplicable("nothing holds " + at.text() + ": what leads there is missing");
    }
    return holder;
  }

  private JsonObject objectOf(JsonElement document, PatchPointer at) throws PatchException {
    return parent(document, at).getAsJsonObject();
  }

  private int index(PatchPointer at, int size) throws PatchException {
    int index = PatchPointer.index(requireLastName(at), size);
    if (index < 0) {
      throw notApplicable(at.text() + " is not an index of that array");
    }
    return index;
  }

  private String requireLastName(PatchPointer at) throws PatchException {
    String name = at.last();
    if (name == null) {
      throw notApplicable("the whole object can only be replaced or tested");
    }
    return name;
  }

  private PatchException notApplicable(String reason) {
    return PatchException.notApplicable(
        "operation %d (%s %s) does not apply: %s"
            .formatted(number, kind.text(), path.text(), reason));
  }

  private static String text(int number, JsonObject operation, String field) throws PatchException {
    JsonElement text = operation.get(field);
    if (text instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    if (text == null) {
      throw PatchException.notApplicable("operation %d has no %s".formatted(number, field));
    }
    throw PatchException.malformed(
        "operation %d: %s must be a string, not %s"
            .formatted(number, field, StrictJson.kind(text)));
  }

  private static PatchPointer pointer(int number, JsonObject operation, String field)
      throws PatchException {
    String text = text(number, operation, field);
    PatchPointer pointer = PatchPointer.parse(text);
    if (pointer == null) {
      throw PatchException.notApplicable(
          "operation %d: %s must begin with a slash: \"%s\"".formatted(number, field, text));
    }
    return pointer;
  }
}
