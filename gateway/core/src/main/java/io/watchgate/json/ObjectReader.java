package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reader of one object that scans it once and records the offsets of its parts. For one use.
 *
 * <p>Name, namespace, uid and version may be written with escapes; the key is made of the decoded
 * text. An object with a duplicate metadata, or with a duplicate identifying field, is refused:
 * readers differ in which duplicate they take.
 */
final class ObjectReader {
  private static final byte[] METADATA = ascii("metadata");
  private static final byte[] NAMESPACE = ascii("namespace");
  private static final byte[] NAME = ascii("name");
  private static final byte[] UID = ascii("uid");
  private static final byte[] VERSION = ascii("resourceVersion");
  private static final byte[] LABELS = ascii("labels");
  private static final byte[] MANAGED_FIELDS = ascii("managedFields");

  private final byte[] object;
  private final FieldPaths.Node root;
  private final JsonScanner scanner;
  private final int[] offsets;
  private final Text name = new Text("metadata.name");
  private final Text namespace = new Text("metadata.namespace");

  ObjectReader(byte[] object, FieldPaths paths) {
    this.object = object;
    this.root = paths.root;
    this.scanner = new JsonScanner(object, 0, object.length);
    this.offsets = new int[2 * (FieldOffsets.FIRST_FIELD + paths.size())];
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  void read() throws JsonException {
    // The opening bracket at 0 leaves 0 free to mean "absent"; the readers pass objects that begin
    // there.
    if (object.length == 0 || object[0] != '{') {
      throw new JsonException("an object was expected");
    }
    readMembers(root, true);
    scanner.expectEnd();
    if (name.length() == 0) {
      throw new JsonException("object without metadata.name");
    }
    if (isEmpty(FieldOffsets.VERSION)) {
      throw new JsonException("object without metadata.resourceVersion");
    }
  }

  private boolean isEmpty(int mark) {
    return offsets[2 * mark] == offsets[2 * mark + 1];
  }

  /** Returns {@code namespace/name}, or the name alone. */
  byte[] key() {
    int before = namespace.length() == 0 ? 0 : namespace.length() + 1;
    byte[] key = new byte[before + name.length()];
    if (before > 0) {
      namespace.copyTo(key, 0);
      key[before - 1] = '/';
    }
    name.copyTo(key, before);
    return key;
  }

  int namespaceLength() {
    return namespace.length();
  }

  /**
   * Returns the key of an object that could not be read; empty unless its complete metadata were
   * read.
   */
  Optional<byte[]> keyOfUnreadable() {
    return name.length() == 0 || isEmpty(FieldOffsets.METADATA)
        ? Optional.empty()
        : Optional.of(key());
  }

  /** Returns the version of an object that could not be read; may be empty, or any text. */
  String versionOfUnreadable() {
    int from = offsets[2 * FieldOffsets.VERSION];
    return JsonString.text(object, from, offsets[2 * FieldOffsets.VERSION + 1]);
  }

  FieldOffsets marks() {
    return new FieldOffsets(offsets, object.length);
  }

  private void readMembers(FieldPaths.Node node, boolean top) throws JsonException {
    scanner.expect('{');
    if (scanner.accept('}')) {
      return;
    }
    do {
      scanner.readString();
      boolean isMetadata = top && scanner.nameIs(METADATA);
      FieldPaths.Node child = child(node);
      scanner.expect(':');
      if (isMetadata) {
        if (!isEmpty(FieldOffsets.METADATA)) {
          throw new JsonException("object with two metadata");
        }
        readMetadata(child);
      } else {
        readValue(child);
      }
    } while (scanner.accept(','));
    scanner.expect('}');
  }

  /** Returns the node for the member whose name was read last; null if the member is not read. */
  private FieldPaths.@Nullable Node child(FieldPaths.Node node) throws JsonException {
    if (!scanner.stringEscaped) {
      return node.child(object, scanner.stringFrom, scanner.stringTo);
    }
    byte[] name = scanner.stringBytes();
    return node.child(name, 0, name.length);
  }

  private void readValue(FieldPaths.@Nullable Node node) throws JsonException {
    if (node == null) {
      scanner.skip();
      return;
    }
    switch (scanner.peek()) {
      case '{' -> {
        if (node.children.length == 0) {
          scanner.skip();
        } else {
          readMembers(node, false);
        }
      }
      case '[' -> scanner.skip();
      case '"' -> {
        scanner.readString();
        scanner.checkEscapes();
        recordLeaf(node, scanner.stringFrom, scanner.stringTo);
      }
      default -> {
        int from = scanner.position();
        scanner.skipLiteral();
        if (object[from] != 'n') {
          recordLeaf(node, from, scanner.position());
        }
      }
    }
  }

  private void recordLeaf(FieldPaths.Node node, int from, int to) {
    for (int number : node.leaves) {
      offsets[2 * (FieldOffsets.FIRST_FIELD + number)] = from;
      offsets[2 * (FieldOffsets.FIRST_FIELD + number) + 1] = to;
    }
  }

  private void readMetadata(FieldPaths.@Nullable Node node) throws JsonException {
    scanner.expect('{');
    int from = scanner.position() - 1;
    if (scanner.accept('}')) {
      return;
    }
    int comma = -1;
    while (true) {
      scanner.peek();
      int member = scanner.position();
      scanner.readString();
      if (scanner.nameIs(NAME)) {
        name.read();
      } else if (scanner.nameIs(NAMESPACE)) {
        namespace.read();
      } else if (scanner.nameIs(UID)) {
        readIdentifying(FieldOffsets.UID, "metadata.uid");
      } else if (scanner.nameIs(VERSION)) {
        readIdentifying(FieldOffsets.VERSION, "metadata.resourceVersion");
      } else if (scanner.nameIs(LABELS)) {
        readLabels();
      } else if (scanner.nameIs(MANAGED_FIELDS)) {
        scanner.expect(':');
        scanner.skip();
        recordManagedFields(comma, member);
      } else {
        FieldPaths.Node child = node == null ? null : child(node);
        scanner.expect(':');
        readValue(child);
      }
      byte next = scanner.peek();
      if (next != ',') {
        break;
      }
      comma = scanner.position();
      scanner.expect(',');
    }
    scanner.expect('}');
    mark(FieldOffsets.METADATA, from, scanner.position());
  }

  /** Text in UTF-8: a range of the object or, if it has escapes, the decoded text. */
  private final class Text {
    private final String description;
    private byte @Nullable [] bytes;
    private int from;
    private int to;

    Text(String description) {
      this.description = description;
    }

    /** Reads the value of a member; null counts as absent. */
    void read() throws JsonException {
      scanner.expect(':');
      byte first = scanner.peek();
      if (first == 'n') {
        scanner.skipLiteral();
        return;
      }
      if (first != '"') {
        throw new JsonException(description + " is not a string");
      }
      if (bytes != null) {
        throw new JsonException("object with two " + description);
      }
      scanner.readString();
      if (scanner.stringEscaped) {
        bytes = scanner.stringBytes();
        to = bytes.length;
      } else {
        bytes = object;
        from = scanner.stringFrom;
        to = scanner.stringTo;
      }
    }

    int length() {
      return to - from;
    }

    void copyTo(byte[] target, int at) {
      System.arraycopy(Objects.requireNonNull(bytes), from, target, at, length());
    }
  }

  /** Records a string, or a number, which some servers write instead. Null counts as absent. */
  private void readIdentifying(int mark, String description) throws JsonException {
    scanner.expect(':');
    byte first = scanner.peek();
    int from = scanner.position();
    if (first == '"') {
      scanner.readString();
      scanner.checkEscapes();
      markOnce(mark, scanner.stringFrom, scanner.stringTo, description);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
      scanner.skipLiteral();
      markOnce(mark, from, scanner.position(), description);
    } else if (first == 'n') {
      scanner.skipLiteral();
    } else {
      throw new JsonException(description + " is not a string");
    }
  }

  private void markOnce(int mark, int from, int to, String description) throws JsonException {
    if (offsets[2 * mark + 1] != 0) {
      throw new JsonException("object with two " + description);
    }
    mark(mark, from, to);
  }

  /**
   * Reads the labels. Labels that are no map of strings count as none, as for Kubernetes' own
   * unstructured objects; the object is sent with them unchanged.
   */
  private void readLabels() throws JsonException {
    scanner.expect(':');
    byte first = scanner.peek();
    int from = scanner.position();
    if (first != '{') {
      scanner.skip();
      return;
    }
    boolean texts = true;
    scanner.expect('{');
    if (!scanner.accept('}')) {
      do {
        scanner.readString();
        scanner.checkEscapes();
        scanner.expect(':');
        if (scanner.peek() == '"') {
          scanner.readString();
          scanner.checkEscapes();
        } else {
          scanner.skip();
          texts = false;
        }
      } while (scanner.accept(','));
      scanner.expect('}');
    }
    if (texts) {
      markOnce(FieldOffsets.LABELS, from, scanner.position(), "metadata.labels");
    }
  }

  private void recordManagedFields(int commaBefore, int member) throws JsonException {
    if (!isEmpty(FieldOffsets.MANAGED_FIELDS)) {
      throw new JsonException("object with two metadata.managedFields");
    }
    int to = scanner.position();
    if (commaBefore >= 0) {
      mark(FieldOffsets.MANAGED_FIELDS, commaBefore, to);
    } else if (scanner.peek() == ',') {
      mark(FieldOffsets.MANAGED_FIELDS, member, scanner.position() + 1);
    } else {
      mark(FieldOffsets.MANAGED_FIELDS, member, to);
    }
  }

  private void mark(int mark, int from, int to) {
    offsets[2 * mark] = from;
    offsets[2 * mark + 1] = to;
  }
}
