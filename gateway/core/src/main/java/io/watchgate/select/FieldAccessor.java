package io.watchgate.select;

import io.watchgate.json.ByteKeyLookup;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Accessor of the value of a selectable field of an object. */
sealed interface FieldAccessor {
  byte[] EMPTY = {};

  String value(KubeObject view);

  /** Returns whether the value equals {@code text}, in UTF-8. */
  boolean valueEquals(KubeObject view, byte[] text);

  /**
   * Returns the result of a lookup of the value, without a copy of the value if it has no escapes.
   */
  <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup);

  /** metadata.name. */
  enum Name implements FieldAccessor {
    NAME;

    @Override
    public String value(KubeObject view) {
      return view.name();
    }

    @Override
    public boolean valueEquals(KubeObject view, byte[] text) {
      return view.nameIs(text);
    }

    @Override
    public <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup) {
      return view.findByName(lookup);
    }
  }

  /** metadata.namespace, empty for objects of cluster-scoped types. */
  enum Namespace implements FieldAccessor {
    NAMESPACE;

    @Override
    public String value(KubeObject view) {
      return view.namespace();
    }

    @Override
    public boolean valueEquals(KubeObject view, byte[] text) {
      return view.namespaceIs(text);
    }

    @Override
    public <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup) {
      return view.findByNamespace(lookup);
    }
  }

  /** Field that the apiserver accepts and never fills. */
  enum Nothing implements FieldAccessor {
    NOTHING;

    @Override
    public String value(KubeObject view) {
      return "";
    }

    @Override
    public boolean valueEquals(KubeObject view, byte[] text) {
      return text.length == 0;
    }

    @Override
    public <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup) {
      return lookup.find(EMPTY, 0, 0);
    }
  }

  /** Leaf of the object, or a default if it is absent. */
  final class Leaf implements FieldAccessor {
    private final int number;
    private final String otherwise;
    private final byte[] otherwiseBytes;

    /**
     * @param number index of the leaf in the {@link io.watchgate.json.FieldPaths} of the type
     */
    Leaf(int number, String otherwise) {
      this.number = number;
      this.otherwise = otherwise;
      this.otherwiseBytes = otherwise.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String value(KubeObject view) {
      String value = view.field(number);
      return value == null ? otherwise : value;
    }

    @Override
    public boolean valueEquals(KubeObject view, byte[] text) {
      return view.hasField(number)
          ? view.fieldIs(number, text)
          : Arrays.equals(otherwiseBytes, text);
    }

    @Override
    public <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup) {
      return view.hasField(number)
          ? view.findByField(number, lookup)
          : lookup.find(otherwiseBytes, 0, otherwiseBytes.length);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Leaf that
          && number == that.number
          && otherwise.equals(that.otherwise);
    }

    @Override
    public int hashCode() {
      return 31 * number + otherwise.hashCode();
    }
  }

  /** First of two leaves that is not empty. */
  record FirstOf(Leaf first, Leaf second) implements FieldAccessor {
    @Override
    public String value(KubeObject view) {
      String value = first.value(view);
      return value.isEmpty() ? second.value(view) : value;
    }

    @Override
    public boolean valueEquals(KubeObject view, byte[] text) {
      return first.valueEquals(view, EMPTY)
          ? second.valueEquals(view, text)
          : first.valueEquals(view, text);
    }

    @Override
    public <V> @Nullable V find(KubeObject view, ByteKeyLookup<V> lookup) {
      return (first.valueEquals(view, EMPTY) ? second : first).find(view, lookup);
    }
  }
}
