package io.watchgate.encode;

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
 * Part of an object that is sent, and encoding of its changes. Bodies are slices of the cache's
 * bytes, never copies. Immutable; two projections are equal if they have the same {@link #name}.
 */
public final class ObjectProjection {

  /** Part of an object that is sent. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    /** apiVersion, kind and metadata without managedFields. */
    METADATA,
    /** No body. */
    KEY,
    /** The identifying fields, and the parts at the chosen pointers. */
    INCLUDED
  }

  /** Encoding of a MODIFIED event. */
  public enum ChangeEncoding {
    FULL,
    /** A {@link ChangePatch}, if it is small enough. */
    PATCH
  }

  private static final PointerMask NONE = PointerMask.of(List.of());
  private static final PointerMask WITH_METADATA =
      parts(List.of("/apiVersion", "/kind", "/metadata"));

  /** Fields that a client needs to identify the object of a body. */
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

  /** Mask of {@link View#METADATA} and {@link View#INCLUDED}. */
  private final PointerMask mask;

  private final ChangeEncoding changeEncoding;
  private final String name;

  private ObjectProjection(View view, List<JsonPointer> pointers, ChangeEncoding changes) {
    this.view = view;
    this.pointers = pointers;
    this.mask =
        switch (view) {
          case FULL, NO_MANAGED_FIELDS, KEY -> NONE;
          case METADATA -> WITH_METADATA;
          case INCLUDED -> identified(pointers);
        };
    this.changeEncoding = view == View.KEY ? ChangeEncoding.FULL : changes;
    this.name = name(view, pointers, this.changeEncoding);
  }

  private static ObjectProjection of(View view) {
    return new ObjectProjection(view, List.of(), ChangeEncoding.FULL);
  }

  /**
   * Returns a projection to the identifying fields and the parts at these pointers, as {@link
   * PointerMask} defines them. The pointers may contain one below another, and pointers to parts
   * that are always sent.
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

  /** In the text of a pointer each ~ is followed by 0 or 1, so the separator cannot occur in it. */
  private static String name(View view, List<JsonPointer> pointers, ChangeEncoding changes) {
    String list = pointers.stream().map(JsonPointer::text).collect(Collectors.joining(" ~ "));
    return (changes == ChangeEncoding.PATCH ? "PATCH " : "")
        + view.name()
        + (list.isEmpty() ? "" : " " + list);
  }

  /**
   * Returns the same view with MODIFIED events as patches if they are small enough. KEY, which has
   * no body, is unchanged.
   */
  public ObjectProjection withPatches() {
    return new ObjectProjection(view, pointers, ChangeEncoding.PATCH);
  }

  /** Returns the same view without patches; its bodies are the same. */
  public ObjectProjection withFullChanges() {
    return changeEncoding == ChangeEncoding.FULL
        ? this
        : new ObjectProjection(view, pointers, ChangeEncoding.FULL);
  }

  public View view() {
    return view;
  }

  /**
   * Returns the approximate bytes of the events for {@code objects} objects with {@code bytes}
   * bytes in total.
   */
  public long estimate(long bytes, int objects) {
    return switch (view) {
      case FULL, NO_MANAGED_FIELDS -> bytes;
      case METADATA, INCLUDED -> Math.min(bytes, 1_024L * objects);
      case KEY -> Math.min(bytes, 128L * objects);
    };
  }

  /** Returns the pointers of {@link View#INCLUDED}, sorted by text, none below another. */
  public List<JsonPointer> pointers() {
    return pointers;
  }

  public ChangeEncoding changeEncoding() {
    return changeEncoding;
  }

  /**
   * Returns the canonical text of this projection. It must never change, because tokens carry its
   * hash.
   */
  public String name() {
    return name;
  }

  /** Returns whether objects are sent with a body. */
  public boolean hasBody() {
    return view != View.KEY;
  }

  /**
   * Returns the body of an object with its own resourceVersion; empty for a view without bodies.
   *
   * @throws IllegalStateException if the object turns out not to be JSON in a part not parsed
   *     before
   */
  public ByteSlices body(KubeObject object) {
    return view == View.FULL
        ? ByteSlices.of(object.bytes())
        : body(object, new BodyBuilder(object));
  }

  /**
   * Returns the body of a DELETED event: the last state of the object, with the version of the
   * change. Empty for a view without bodies.
   *
   * @throws IllegalStateException if the object turns out not to be JSON in a part not parsed
   *     before
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
      mask.of(object, body);
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
