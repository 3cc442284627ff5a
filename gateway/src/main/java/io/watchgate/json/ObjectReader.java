package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Goes once over an object and notes where its parts stand. One use. */
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
  private int namespaceFrom;
  private int namespaceTo;
  private int nameFrom;
  private int nameTo;

  ObjectReader(byte[] object, FieldPaths paths) {
    this.object = object;
    this.root = paths.root;
    this.scanner = new JsonScanner(object, 0, object.length);
    this.offsets = new int[2 * (Marks.FIRST_FIELD + paths.size())];
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  void read() throws JsonException {
    // The opening bracket at 0 makes 0 free to mean "absent"; kube's readers hand over objects that
    // begin there.
    if (object.length == 0 || object[0] != '{') {
      throw new JsonException("an object was expected");
    }
    members(root, true);
    scanner.expectEnd();
    if (nameTo == 0) {
      throw new JsonException("object without metadata.name");
    }
    if (offsets[2 * Marks.UID + 1] == 0) {
      throw new JsonException("object without metadata.uid");
    }
    if (offsets[2 * Marks.VERSION + 1] == 0) {
      throw new JsonException("object without metadata.resourceVersion");
    }
  }

  byte[] key() {
    int namespaceLength = namespaceTo - namespaceFrom;
    int nameLength = nameTo - nameFrom;
    if (namespaceLength == 0) {
      return Arrays.copyOfRange(object, nameFrom, nameTo);
    }
    byte[] key = new byte[namespaceLength + 1 + nameLength];
    System.arraycopy(object, namespaceFrom, key, 0, namespaceLength);
    key[namespaceLength] = '/';
    System.arraycopy(object, nameFrom, key, namespaceLength + 1, nameLength);
    return key;
  }

  Marks marks() {
    return new Marks(offsets, object.length);
  }

  private void members(FieldPaths.Node node, boolean top) throws JsonException {
    scanner.expect('{');
    if (scanner.accept('}')) {
      return;
    }
    do {
      scanner.string();
      boolean isMetadata = top && scanner.nameIs(METADATA);
      FieldPaths.Node child = child(node);
      scanner.expect(':');
      if (isMetadata) {
        metadata(child);
      } else {
        value(child);
      }
    } while (scanner.accept(','));
    scanner.expect('}');
  }

  /** What is wanted of the member whose name was read last. */
  private FieldPaths.@Nullable Node child(FieldPaths.Node node) throws JsonException {
    if (!scanner.stringEscaped) {
      return node.child(object, scanner.stringFrom, scanner.stringTo);
    }
    byte[] name = scanner.stringBytes();
    return node.child(name, 0, name.length);
  }

  private void value(FieldPaths.@Nullable Node node) throws JsonException {
    if (node == null) {
      scanner.skip();
      return;
    }
    switch (scanner.peek()) {
      case '{' -> {
        if (node.children.length == 0) {
          scanner.skip();
        } else {
          members(node, false);
        }
      }
      case '[' -> scanner.skip();
      case '"' -> {
        scanner.string();
        scanner.checkEscapes();
        leaf(node, scanner.stringFrom, scanner.stringTo);
      }
      default -> {
        int from = scanner.position();
        scanner.literal();
        if (object[from] != 'n') {
          leaf(node, from, scanner.position());
        }
      }
    }
  }

  private void leaf(FieldPaths.Node node, int from, int to) {
    for (int number : node.leaves) {
      offsets[2 * (Marks.FIRST_FIELD + number)] = from;
      offsets[2 * (Marks.FIRST_FIELD + number) + 1] = to;
    }
  }

  private void metadata(FieldPaths.@Nullable Node node) throws JsonException {
    scanner.expect('{');
    int from = scanner.position() - 1;
    if (scanner.accept('}')) {
      return;
    }
    int comma = -1;
    while (true) {
      scanner.peek();
      int member = scanner.position();
      scanner.string();
      if (scanner.nameIs(NAME)) {
        plainString();
        nameFrom = scanner.stringFrom;
        nameTo = scanner.stringTo;
      } else if (scanner.nameIs(NAMESPACE)) {
        plainString();
        namespaceFrom = scanner.stringFrom;
        namespaceTo = scanner.stringTo;
      } else if (scanner.nameIs(UID)) {
        plainString();
        mark(Marks.UID, scanner.stringFrom, scanner.stringTo);
      } else if (scanner.nameIs(VERSION)) {
        plainString();
        mark(Marks.VERSION, scanner.stringFrom, scanner.stringTo);
      } else if (scanner.nameIs(LABELS)) {
        labels();
      } else if (scanner.nameIs(MANAGED_FIELDS)) {
        scanner.expect(':');
        scanner.skip();
        managedFields(comma, member);
      } else {
        FieldPaths.Node child = node == null ? null : child(node);
        scanner.expect(':');
        value(child);
      }
      byte next = scanner.peek();
      if (next != ',') {
        break;
      }
      comma = scanner.position();
      scanner.expect(',');
    }
    scanner.expect('}');
    mark(Marks.METADATA, from, scanner.position());
  }

  /**
   * Names, uids and versions are ASCII by Kubernetes' rules; an escape in one of them is refused
   * rather than compared wrongly.
   */
  private void plainString() throws JsonException {
    scanner.expect(':');
    scanner.string();
    if (scanner.stringEscaped) {
      throw new JsonException("escape in an identifying field of metadata");
    }
  }

  private void labels() throws JsonException {
    scanner.expect(':');
    byte first = scanner.peek();
    int from = scanner.position();
    if (first != '{') {
      scanner.literal(); // null
      return;
    }
    scanner.expect('{');
    if (!scanner.accept('}')) {
      do {
        scanner.string();
        scanner.checkEscapes();
        scanner.expect(':');
        scanner.string();
        scanner.checkEscapes();
      } while (scanner.accept(','));
      scanner.expect('}');
    }
    mark(Marks.LABELS, from, scanner.position());
  }

  private void managedFields(int commaBefore, int member) throws JsonException {
    int to = scanner.position();
    if (commaBefore >= 0) {
      mark(Marks.MANAGED_FIELDS, commaBefore, to);
    } else if (scanner.peek() == ',') {
      mark(Marks.MANAGED_FIELDS, member, scanner.position() + 1);
    } else {
      mark(Marks.MANAGED_FIELDS, member, to);
    }
  }

  private void mark(int mark, int from, int to) {
    offsets[2 * mark] = from;
    offsets[2 * mark + 1] = to;
  }
}
