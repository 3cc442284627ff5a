package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the selected parts of an object, in one scan up to the last of them. Brackets around a
 * part are written when the part is found, so that no brackets surround an absent part. Punctuation
 * is the object's own if possible, so that neighbours form one slice. For one use.
 */
final class PointerMaskWriter {
  private static final byte[] PUNCTUATION = "{},]".getBytes(StandardCharsets.US_ASCII);
  private static final int OPENING = 0;
  private static final int CLOSING = 1;
  private static final int COMMA = 2;
  private static final int CLOSING_ARRAY = 3;

  private static final int FILLER = "null,".length();
  private static final int FILLERS = 64;
  private static final byte[] NULLS = "null,".repeat(FILLERS).getBytes(StandardCharsets.US_ASCII);

  private final byte[] object;
  private final JsonScanner scanner;
  private final PointerMask.Sink sink;

  /** Number of parts that were not found yet. */
  private int missing;

  /** Slice that may still be extended. */
  private int pieceFrom;

  private int pieceTo;

  /** Ends of values that are known without a scan, by their beginnings; 0 if unknown. */
  private int metadataFrom;

  private int metadataTo;
  private int managedFieldsFrom;
  private int managedFieldsTo;

  PointerMaskWriter(byte[] object, PointerMask.Sink sink) {
    this.object = object;
    this.scanner = new JsonScanner(object, 0, object.length);
    this.sink = sink;
  }

  /** Uses known offsets of the object: managedFields are often half of it. */
  PointerMaskWriter withKnownOffsets(KubeObject view) {
    metadataFrom = view.metadataFrom();
    metadataTo = view.metadataTo();
    managedFieldsFrom = view.managedFieldsFrom();
    managedFieldsTo = view.managedFieldsTo();
    return this;
  }

  private void skip(ValueStart start) throws JsonException {
    scanner.peek();
    int from = scanner.position();
    if (from == metadataFrom && metadataTo > 0) {
      scanner.skipTo(metadataTo);
    } else if (managedFieldsTo > 0
        && (start.comma == managedFieldsFrom || start.from == managedFieldsFrom)) {
      // The range includes one comma: the comma before, or if there is none, the comma after.
      scanner.skipTo(object[managedFieldsTo - 1] == ',' ? managedFieldsTo - 1 : managedFieldsTo);
    } else {
      scanner.skip();
    }
  }

  /** Object or array around selected parts. */
  private final class Level {
    private final @Nullable Level outer;

    /** Position in the surrounding object or array. */
    private final ValueStart start;

    private final int bracket;
    private boolean open;

    /** Number of written members or elements, including placeholders. */
    private int written;

    Level(@Nullable Level outer, ValueStart start, int bracket) {
      this.outer = outer;
      this.start = start;
      this.bracket = bracket;
    }

    void open() {
      if (open) {
        return;
      }
      open = true;
      if (outer == null) {
        writeSlice(bracket, bracket + 1);
      } else {
        outer.add(start, bracket + 1);
      }
    }

    /** Writes the value at a position, up to an end. */
    void add(ValueStart at, int to) {
      open();
      int skipped = at.number < 0 ? 0 : at.number - written;
      if (written > 0 && skipped == 0 && at.comma >= 0) {
        writeSlice(at.comma, to);
      } else {
        if (written > 0) {
          insert(PUNCTUATION, COMMA, COMMA + 1);
        }
        fill(skipped);
        writeSlice(at.from, to);
      }
      written += skipped + 1;
    }

    void close(boolean wholeValue, int constant) throws JsonException {
      if (wholeValue) {
        int at = scanner.position() - 1;
        if (open) {
          writeSlice(at, at + 1);
        }
      } else if (open) {
        insert(PUNCTUATION, constant, constant + 1);
      }
    }
  }

  /**
   * Beginning of a member or element.
   *
   * @param comma offset of the comma before it; -1 if it is the first
   * @param number index of an element; -1 for a member
   */
  private record ValueStart(int comma, int from, int number) {}

  void write(PointerMask parts) throws JsonException {
    missing = parts.pointers().size();
    scanner.peek();
    Level top = new Level(null, new ValueStart(-1, 0, -1), scanner.position());
    if (missing > 0) {
      members(parts.root, top);
    }
    if (!top.open) {
      insert(PUNCTUATION, OPENING, CLOSING + 1);
    }
    flush();
  }

  private void members(PointerMask.Node node, Level level) throws JsonException {
    scanner.expect('{');
    boolean more = !scanner.accept('}');
    int comma = -1;
    while (more) {
      scanner.peek();
      int from = scanner.position();
      scanner.readString();
      PointerMask.Node child =
          scanner.stringEscaped
              ? node.childEscaped(object, scanner.stringFrom, scanner.stringTo)
              : node.child(object, scanner.stringFrom, scanner.stringTo);
      scanner.expect(':');
      value(child, level, new ValueStart(comma, from, -1));
      if (missing == 0) {
        level.close(false, CLOSING);
        return;
      }
      more = scanner.peek() == ',';
      comma = scanner.position();
      scanner.expect(more ? ',' : '}');
    }
    level.close(true, CLOSING);
  }

  private void elements(PointerMask.Node node, Level level) throws JsonException {
    scanner.expect('[');
    boolean more = !scanner.accept(']');
    int comma = -1;
    for (int number = 0; more; number++) {
      scanner.peek();
      value(node.element(number), level, new ValueStart(comma, scanner.position(), number));
      if (missing == 0) {
        level.close(false, CLOSING_ARRAY);
        return;
      }
      more = scanner.peek() == ',';
      comma = scanner.position();
      scanner.expect(more ? ',' : ']');
    }
    level.close(true, CLOSING_ARRAY);
  }

  private void value(PointerMask.@Nullable Node node, Level level, ValueStart start)
      throws JsonException {
    if (node == null) {
      skip(start);
      return;
    }
    if (node.isPart()) {
      skip(start);
      level.add(start, scanner.position());
      missing--;
      return;
    }
    switch (scanner.peek()) {
      case '{' -> members(node, new Level(level, start, scanner.position()));
      case '[' -> elements(node, new Level(level, start, scanner.position()));
      default -> scanner.skip();
    }
  }

  /** Writes a slice of the object. */
  private void writeSlice(int from, int to) {
    if (from != pieceTo) {
      flush();
      pieceFrom = from;
    }
    pieceTo = to;
  }

  private void insert(byte[] bytes, int from, int to) {
    flush();
    sink.insertion(bytes, from, to);
  }

  private void fill(int count) {
    for (int rest = count; rest > 0; rest -= FILLERS) {
      insert(NULLS, 0, FILLER * Math.min(rest, FILLERS));
    }
  }

  private void flush() {
    if (pieceTo > pieceFrom) {
      sink.piece(pieceFrom, pieceTo);
    }
    pieceFrom = pieceTo;
  }
}
