package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Kubernetes object: its bytes as the apiserver sent them, and the offsets of the parts that the
 * gateway reads. Parts are decoded on demand, and only the key is copied: a cache has hundreds of
 * thousands of these, at about 250 bytes each beside the object itself. Immutable, provided that
 * the array is not changed.
 */
public final class KubeObject {
  /**
   * Size of labels, in bytes, up to which a label is found by a scan: some 1 µs. Few usual objects
   * have more; above it, thousands of selectors with 64 requirements each would scan for minutes.
   */
  static final int MAX_SCANNED_LABELS = 4096;

  private final byte[] bytes;
  private final byte[] key;
  private final FieldOffsets offsets;

  /**
   * Length of the namespace in the key, in bytes; 0 without one. A name may contain a slash if the
   * object has no namespace.
   */
  private final int namespaceLength;

  /**
   * Hash of key and uid, 0 until first use. Every thread computes the same value, so that it needs
   * no lock.
   */
  private long identity;

  private KubeObject(byte[] bytes, byte[] key, int namespaceLength, FieldOffsets offsets) {
    this.bytes = bytes;
    this.key = key;
    this.namespaceLength = namespaceLength;
    this.offsets = offsets;
  }

  /**
   * Reads an object. The array becomes part of the object and must not be changed any more; with
   * {@link FieldPaths#withoutManagedFields}, a copy without them becomes part of it instead.
   *
   * @throws UnreadableObjectException if the bytes are not one JSON object with metadata.name and
   *     metadata.resourceVersion
   */
  public static KubeObject read(byte[] object, FieldPaths paths) throws UnreadableObjectException {
    ObjectReader reader = new ObjectReader(object, paths);
    try {
      reader.read();
    } catch (JsonException e) {
      throw new UnreadableObjectException(
          String.valueOf(e.getMessage()), reader.keyOfUnreadable(), reader.versionOfUnreadable());
    }
    KubeObject view =
        new KubeObject(object, reader.key(), reader.namespaceLength(), reader.marks());
    return paths.withManagedFields ? view : view.withoutManagedFields();
  }

  private KubeObject withoutManagedFields() {
    int from = managedFieldsFrom();
    int to = managedFieldsTo();
    if (from == to) {
      return this;
    }
    byte[] rest = new byte[bytes.length - (to - from)];
    System.arraycopy(bytes, 0, rest, 0, from);
    System.arraycopy(bytes, to, rest, from, bytes.length - to);
    return new KubeObject(
        rest, key, namespaceLength, offsets.without(FieldOffsets.MANAGED_FIELDS, rest.length));
  }

  /** Returns the object as sent. Must not be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * Returns {@code namespace/name}, or {@code name} for an object without namespace, in UTF-8: the
   * sort key of lists. Must not be changed.
   */
  public byte[] key() {
    return key;
  }

  /** Returns the namespace, empty for an object without one. */
  public String namespace() {
    return new String(key, 0, namespaceLength, StandardCharsets.UTF_8);
  }

  public String name() {
    int from = nameFrom();
    return new String(key, from, key.length - from, StandardCharsets.UTF_8);
  }

  /** Returns whether the namespace equals {@code namespace}, in UTF-8. */
  public boolean namespaceIs(byte[] namespace) {
    return Arrays.equals(key, 0, namespaceLength, namespace, 0, namespace.length);
  }

  /** Returns whether namespace and name equal those of {@code other}. */
  public boolean hasSameKeyAs(KubeObject other) {
    return Arrays.equals(key, other.key);
  }

  /** Returns whether the name equals {@code name}, in UTF-8. */
  public boolean nameIs(byte[] name) {
    return Arrays.equals(key, nameFrom(), key.length, name, 0, name.length);
  }

  /** Returns the lookup's value for the namespace, which may be empty. */
  public <V> @Nullable V findByNamespace(ByteKeyLookup<V> lookup) {
    return lookup.find(key, 0, namespaceLength);
  }

  /** Returns the lookup's value for the name. */
  public <V> @Nullable V findByName(ByteKeyLookup<V> lookup) {
    return lookup.find(key, nameFrom(), key.length);
  }

  private int nameFrom() {
    return namespaceLength == 0 ? 0 : namespaceLength + 1;
  }

  /** Returns the uid, empty for an object without uid: then only its key identifies it. */
  public String uid() {
    return text(FieldOffsets.UID);
  }

  public String resourceVersion() {
    return text(FieldOffsets.VERSION);
  }

  private String text(int mark) {
    return JsonString.text(bytes, offsets.from(mark), offsets.to(mark));
  }

  /**
   * Returns whether both are the same state of the same object: uid and resourceVersion are equal.
   */
  public boolean hasSameStateAs(KubeObject other) {
    return sameText(FieldOffsets.VERSION, other) && sameText(FieldOffsets.UID, other);
  }

  public boolean hasSameUidAs(KubeObject other) {
    return sameText(FieldOffsets.UID, other);
  }

  /**
   * Returns whether uid and resourceVersion are equal, and the complete objects are equal as JSON
   * values.
   */
  public boolean hasSameContentAs(KubeObject other) {
    return hasSameStateAs(other)
        && (Arrays.equals(bytes, other.bytes) || JsonValues.sameObject(bytes, other.bytes));
  }

  /** Returns a hash of key, uid and resourceVersion, the same in all versions of the gateway. */
  public long fingerprint() {
    return addText(identity(), FieldOffsets.VERSION);
  }

  /**
   * Returns {@link #fingerprint}, at a lower cost: if {@code before} is a state of the same object,
   * the common part of the hash is not computed again.
   */
  public long fingerprintAfter(KubeObject before) {
    if (identity == 0 && hasSameUidAs(before) && hasSameKeyAs(before)) {
      identity = before.identity();
    }
    return fingerprint();
  }

  private long identity() {
    long known = identity;
    if (known == 0) {
      known = Fnv1a64.add(Fnv1a64.START, key, 0, key.length);
      known = addText(known, FieldOffsets.UID);
      identity = known;
    }
    return known;
  }

  private long addText(long hash, int mark) {
    int from = offsets.from(mark);
    int to = offsets.to(mark);
    if (!JsonString.escaped(bytes, from, to)) {
      return Fnv1a64.add(hash, bytes, from, to);
    }
    byte[] text = JsonString.decoded(bytes, from, to);
    return Fnv1a64.add(hash, text, 0, text.length);
  }

  /** Returns whether the texts at a mark are equal once their escapes are resolved. */
  private boolean sameText(int mark, KubeObject other) {
    return sameMark(mark, other)
        || JsonString.same(
            bytes,
            offsets.from(mark),
            offsets.to(mark),
            other.bytes,
            other.offsets.from(mark),
            other.offsets.to(mark));
  }

  private boolean sameMark(int mark, KubeObject other) {
    return Arrays.equals(
        bytes,
        offsets.from(mark),
        offsets.to(mark),
        other.bytes,
        other.offsets.from(mark),
        other.offsets.to(mark));
  }

  /** Returns whether the labels are equal byte by byte, or both objects have none. */
  public boolean hasSameLabelsAs(KubeObject other) {
    return sameMark(FieldOffsets.LABELS, other);
  }

  /** Returns the value of a label, null without it. */
  public @Nullable String label(String name) {
    int at = labelOffset(name.getBytes(StandardCharsets.UTF_8));
    return at < 0 ? null : JsonString.text(bytes, at, JsonString.end(bytes, at));
  }

  /**
   * Returns the offset of the value of a label, for {@link #labelIs}; negative without the label.
   * Allocates nothing, except at the first question to an object with very many labels.
   *
   * @param name in UTF-8
   */
  public int labelOffset(byte[] name) {
    if (!offsets.isPresent(FieldOffsets.LABELS)) {
      return -1;
    }
    int from = offsets.from(FieldOffsets.LABELS);
    int end = offsets.to(FieldOffsets.LABELS);
    if (end - from > MAX_SCANNED_LABELS) {
      int label = offsets.labelIndex(this).find(name);
      return label == 0 ? -1 : valueOf(label);
    }
    int quote = quote(from, end);
    while (quote < end) {
      int nameEnd = JsonString.end(bytes, quote + 1);
      int value = quote(nameEnd + 1, end) + 1;
      if (JsonString.is(bytes, quote + 1, nameEnd, name)) {
        return value;
      }
      quote = quote(JsonString.end(bytes, value) + 1, end);
    }
    return -1;
  }

  /** Returns whether the label value at this offset equals {@code value}, in UTF-8. */
  public boolean labelIs(int at, byte[] value) {
    return JsonString.is(bytes, at, JsonString.end(bytes, at), value);
  }

  /** Returns the offset of the name of the first label, negative without labels. */
  public int firstLabel() {
    return offsets.isPresent(FieldOffsets.LABELS)
        ? labelFrom(offsets.from(FieldOffsets.LABELS))
        : -1;
  }

  /** Returns the offset of the name of the next label, negative after the last one. */
  public int nextLabel(int label) {
    return labelFrom(JsonString.end(bytes, valueOf(label)) + 1);
  }

  private int labelFrom(int from) {
    int end = offsets.to(FieldOffsets.LABELS);
    int quote = quote(from, end);
    return quote < end ? quote + 1 : -1;
  }

  /** Returns the offset of the value of that label, like {@link #labelOffset}. */
  public int valueOf(int label) {
    return quote(JsonString.end(bytes, label) + 1, offsets.to(FieldOffsets.LABELS)) + 1;
  }

  /** Returns the lookup's value for the label name or label value at this offset. */
  public <V> @Nullable V findByLabel(int at, ByteKeyLookup<V> lookup) {
    return JsonString.find(bytes, at, JsonString.end(bytes, at), lookup);
  }

  /** Returns the next quote, {@code end} without one. Between strings there is only punctuation. */
  private int quote(int from, int end) {
    int i = from;
    while (i < end && bytes[i] != '"') {
      i++;
    }
    return i;
  }

  /**
   * Returns the value of the leaf with this number of the {@link FieldPaths} it was read with:
   * strings decoded, numbers and booleans as written; null if it is absent, {@code null}, an object
   * or an array.
   */
  public @Nullable String field(int number) {
    return hasField(number) ? JsonString.text(bytes, fieldFrom(number), fieldTo(number)) : null;
  }

  /** Returns whether {@link #field} is not null. */
  public boolean hasField(int number) {
    return offsets.isPresent(FieldOffsets.FIRST_FIELD + number);
  }

  /**
   * Returns whether {@link #field} equals this text, in UTF-8. Allocates only for strings with
   * escapes.
   */
  public boolean fieldIs(int number, byte[] text) {
    return hasField(number) && JsonString.is(bytes, fieldFrom(number), fieldTo(number), text);
  }

  /** Returns the lookup's value for the field; valid only if there {@link #hasField is} one. */
  public <V> @Nullable V findByField(int number, ByteKeyLookup<V> lookup) {
    return JsonString.find(bytes, fieldFrom(number), fieldTo(number), lookup);
  }

  private int fieldFrom(int number) {
    return offsets.from(FieldOffsets.FIRST_FIELD + number);
  }

  private int fieldTo(int number) {
    return offsets.to(FieldOffsets.FIRST_FIELD + number);
  }

  /**
   * Returns the offset of metadata.managedFields, with one of the commas around it; equal to {@link
   * #managedFieldsTo} if it is absent.
   */
  public int managedFieldsFrom() {
    return offsets.from(FieldOffsets.MANAGED_FIELDS);
  }

  public int managedFieldsTo() {
    return offsets.to(FieldOffsets.MANAGED_FIELDS);
  }

  /** Returns the offset of the value of metadata. */
  int metadataFrom() {
    return offsets.from(FieldOffsets.METADATA);
  }

  int metadataTo() {
    return offsets.to(FieldOffsets.METADATA);
  }

  /** Returns the offset of metadata.resourceVersion: the text between its quotes, or a number. */
  public int versionFrom() {
    return offsets.from(FieldOffsets.VERSION);
  }

  public int versionTo() {
    return offsets.to(FieldOffsets.VERSION);
  }

  /**
   * Returns an estimate of the heap size of this object: with compact headers, 8-byte alignment.
   */
  public int retainedBytes() {
    return 32 + 16 + bytes.length + 16 + key.length + offsets.retainedBytes();
  }

  @Override
  public String toString() {
    return new String(key, StandardCharsets.UTF_8) + "@" + resourceVersion();
  }
}
