package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One Kubernetes object: its bytes as the apiserver sent them, and where in them stand the parts
 * that the gateway looks at. Nothing is decoded before it is asked for, and nothing but the key is
 * copied: a cache holds hundreds of thousands of these, at about 250 bytes each beside the object
 * itself. Immutable, provided that nobody changes the array.
 */
public final class ObjectView {
  private final byte[] bytes;
  private final byte[] key;
  private final Marks marks;

  private ObjectView(byte[] bytes, byte[] key, Marks marks) {
    this.bytes = bytes;
    this.key = key;
    this.marks = marks;
  }

  /**
   * Reads an object. The array becomes part of the view and must not be changed any more.
   *
   * @throws JsonException if the bytes are not one JSON object with metadata.name, metadata.uid and
   *     metadata.resourceVersion
   */
  public static ObjectView read(byte[] object, FieldPaths paths) throws JsonException {
    ObjectReader reader = new ObjectReader(object, paths);
    reader.read();
    return new ObjectView(object, reader.key(), reader.marks());
  }

  /** The object as sent. Not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * {@code namespace/name}, or {@code name} for an object without namespace, in UTF-8: what a list
   * is ordered by. Not to be changed.
   */
  public byte[] key() {
    return key;
  }

  /** Empty for an object without namespace. */
  public String namespace() {
    int slash = slash();
    return slash < 0 ? "" : new String(key, 0, slash, StandardCharsets.UTF_8);
  }

  public String name() {
    int from = slash() + 1;
    return new String(key, from, key.length - from, StandardCharsets.UTF_8);
  }

  private int slash() {
    for (int i = 0; i < key.length; i++) {
      if (key[i] == '/') {
        return i;
      }
    }
    return -1;
  }

  public String uid() {
    return ascii(Marks.UID);
  }

  public String resourceVersion() {
    return ascii(Marks.VERSION);
  }

  private String ascii(int mark) {
    int from = marks.from(mark);
    return new String(bytes, from, marks.to(mark) - from, StandardCharsets.ISO_8859_1);
  }

  /** Whether both are the same state of the same object: uid and resourceVersion are equal. */
  public boolean sameStateAs(ObjectView other) {
    return sameMark(Marks.VERSION, other) && sameMark(Marks.UID, other);
  }

  public boolean sameUidAs(ObjectView other) {
    return sameMark(Marks.UID, other);
  }

  private boolean sameMark(int mark, ObjectView other) {
    return Arrays.equals(
        bytes,
        marks.from(mark),
        marks.to(mark),
        other.bytes,
        other.marks.from(mark),
        other.marks.to(mark));
  }

  /** The value of a label, null without it. */
  public @Nullable String label(String name) {
    if (!marks.present(Marks.LABELS)) {
      return null;
    }
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    JsonScanner scanner = new JsonScanner(bytes, marks.from(Marks.LABELS), marks.to(Marks.LABELS));
    try {
      scanner.expect('{');
      if (scanner.accept('}')) {
        return null;
      }
      do {
        scanner.string();
        boolean found = scanner.stringIs(wanted);
        scanner.expect(':');
        scanner.string();
        if (found) {
          return scanner.stringEscaped
              ? JsonScanner.decode(bytes, scanner.stringFrom, scanner.stringTo)
              : text(scanner.stringFrom, scanner.stringTo);
        }
      } while (scanner.accept(','));
      return null;
    } catch (JsonException e) {
      throw new IllegalStateException("labels were readable when the object was", e);
    }
  }

  /**
   * The value of the leaf with this number of the {@link FieldPaths} it was read with: strings
   * decoded, numbers and booleans as they stand, null where it is absent, {@code null}, an object
   * or an array.
   */
  public @Nullable String field(int number) {
    int mark = Marks.FIRST_FIELD + number;
    if (!marks.present(mark)) {
      return null;
    }
    int from = marks.from(mark);
    int to = marks.to(mark);
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\\') {
        try {
          return JsonScanner.decode(bytes, from, to);
        } catch (JsonException e) {
          throw new IllegalStateException("the field was readable when the object was", e);
        }
      }
    }
    return text(from, to);
  }

  private String text(int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /**
   * Where metadata.managedFields stands, with one of the commas around it; equal to {@link
   * #managedFieldsTo} where it is absent.
   */
  public int managedFieldsFrom() {
    return marks.from(Marks.MANAGED_FIELDS);
  }

  public int managedFieldsTo() {
    return marks.to(Marks.MANAGED_FIELDS);
  }

  /** Where the content of metadata.resourceVersion stands, without quotes. */
  public int versionFrom() {
    return marks.from(Marks.VERSION);
  }

  public int versionTo() {
    return marks.to(Marks.VERSION);
  }

  /** An estimate of the heap that this occupies: with compact headers, 8-byte alignment. */
  public int retainedBytes() {
    return 24 + 16 + bytes.length + 16 + key.length + marks.retainedBytes();
  }

  @Override
  public String toString() {
    return new String(key, StandardCharsets.UTF_8) + "@" + resourceVersion();
  }
}
