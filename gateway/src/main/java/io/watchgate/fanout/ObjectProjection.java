package io.watchgate.fanout;

import io.watchgate.json.JsonException;
import io.watchgate.json.JsonPointer;
import io.watchgate.json.KubeObject;
import io.watchgate.json.PointerMask;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an object is sent: what of it, and how its changes are written down. Bodies are slices of the
 * cache's own bytes, never copies. Immutable; two are equal if they have the same {@link #name}.
 */
public final class ObjectProjection {

  /** What of an object is sent. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    /** apiVersion, kind and metadata without managedFields. */
    METADATA,
    /** No body. */
    KEY,
    /** What identifies an object, and the parts that pointers lead to. */
    INCLUDED
  }

  /** How a MODIFIED is sent. */
  public enum ChangeEncoding {
    FULL,
    /** As a {@link ChangePatch} where that is worth it. */
    PATCH
  }

  private static final PointerMask NONE = PointerMask.of(List.of());
  private static final PointerMask WITH_METADATA =
      parts(List.of("/apiVersion", "/kind", "/metadata"));

  /** Without these nobody could tell what a body is of. */
  private static final List<JsonPointer> IDENTIFYING =
      parts(
              List.of(
                  "/apiVersion",
                  "/kind",
                  "/metadata/name",
                  "/metadata/namespace",
                  "/metadata/uid",
                  "/metadata/resourceVersion"))
          .pointers();

  public static final ObjectProjection FULL = of(View.FULL);
  public static final ObjectProjection NO_MANAGED_FIELDS = of(View.NO_MANAGED_FIELDS);
  public static final ObjectProjection METADATA = of(View.METADATA);
  public static final ObjectProjection KEY = of(View.KEY);

  private final View view;
  private final List<JsonPointer> pointers;

  /** Of {@link View#METADATA} and {@link View#INCLUDED}. */
  private final PointerMask parts;

  private final ChangeEncoding changes;
  private final String name;

  private ObjectProjection(View view, List<JsonPointer> pointers, ChangeEncoding changes) {
    this.view = view;
    this.pointers = pointers;
    this.parts =
        switch (view) {
          case FULL, NO_MANAGED_FIELDS, KEY -> NONE;
          case METADATA -> WITH_METADATA;
          case INCLUDED -> identified(pointers);
        };
    this.changes = view == View.KEY ? ChangeEncoding.FULL : changes;
    this.name = name(view, pointers, this.changes);
  }

  private static ObjectProjection of(View view) {
    return new ObjectProjection(view, List.of(), ChangeEncoding.FULL);
  }

  /**
   * What identifies an object, and these parts of it, as {@link PointerMask} has it. A pointer
   * below another, or to what is sent anyway, may be among them.
   */
  public static ObjectProjection including(Collection<JsonPointer> pointers) {
    return new ObjectProjection(
        View.INCLUDED, PointerMask.of(pointers).pointers(), ChangeEncoding.FULL);
  }

  private static PointerMask identified(List<JsonPointer> pointers) {
    List<JsonPointer> all = new ArrayList<>(IDENTIFYING);
    all.addAll(pointers);
    return PointerMask.of(all);
  }

  private static PointerMask parts(List<String> pointers) {
    return PointerMask.of(pointers.stream().map(ObjectProjection::pointer).toList());
  }

  private static JsonPointer pointer(String text) {
    try {
      return JsonPointer.parse(text);
    } catch (JsonException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** In a pointer's text 0 or 1 follows each ~, so that the separator stands in none. */
  private static String name(View view, List<JsonPointer> pointers, ChangeEncoding changes) {
    String list = pointers.stream().map(JsonPointer::text).collect(Collectors.joining(" ~ "));
    return (changes == ChangeEncoding.PATCH ? "PATCH " : "")
        + view.name()
        + (list.isEmpty() ? "" : " " + list);
  }

  /**
   * The same view, MODIFIED as patches where that is worth it; KEY, which has no body, as it is.
   */
  public ObjectProjection withPatches() {
    return new ObjectProjection(view, pointers, ChangeEncoding.PATCH);
  }

  /** The same view without patches: bodies of both are the same. */
  public ObjectProjection withFullChanges() {
    return changes == ChangeEncoding.FULL
        ? this
        : new ObjectProjection(view, pointers, ChangeEncoding.FULL);
  }

  public View view() {
    return view;
  }

  /** Bytes of events for so many objects of so many bytes together, in the order of magnitude. */
  long estimate(long bytes, int objects) {
    return switch (view) {
      case FULL, NO_MANAGED_FIELDS -> bytes;
      case METADATA, INCLUDED -> Math.min(bytes, 1_024L * objects);
      case KEY -> Math.min(bytes, 128L * objects);
    };
  }

  /** Of {@link View#INCLUDED}: in the order of their texts, none below another. */
  public List<JsonPointer> pointers() {
    return pointers;
  }

  public ChangeEncoding changes() {
    return changes;
  }

  /** The one text of this projection. Tokens carry its hash: it never changes. */
  public String name() {
    return name;
  }

  /** Whether objects are sent with a body at all. */
  public boolean hasBody() {
    return view != View.KEY;
  }

  /**
   * The object as it stands; empty without a body.
   *
   * @throws IllegalStateException if it turns out not to be JSON where nobody had looked yet
   */
  public ByteSlices body(KubeObject object) {
    return view == View.FULL
        ? ByteSlices.of(object.bytes())
        : body(object, new BodyBuilder(object));
  }

  /**
   * The object with another resourceVersion: what a DELETED carries, its state before and the
   * version of the change. Empty without a body.
   *
   * @throws IllegalStateException if it turns out not to be JSON where nobody had looked yet
   */
  public ByteSlices body(KubeObject object, String version) {
    return body(object, new BodyBuilder(object).withVersion(version));
  }

  private ByteSlices body(KubeObject object, BodyBuilder body) {
    switch (view) {
      case FULL -> body.piece(0, object.bytes().length);
      case NO_MANAGED_FIELDS -> body.withoutManagedFields().piece(0, object.bytes().length);
      case METADATA -> select(object, body.withoutManagedFields());
      case INCLUDED -> select(object, body);
      case KEY -> {}
    }
    return body.build();
  }

  private void select(KubeObject object, BodyBuilder body) {
    try {
      parts.of(object, body);
    } catch (JsonException e) {
      throw new IllegalStateException(object + " has no " + name + ": " + e.getMessage(), e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectProjection projection && name.equals(projection.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
