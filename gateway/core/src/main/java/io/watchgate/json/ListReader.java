package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reader of the response to a list, item by item; at most one item and a buffer are in memory. The
 * keys of the document may have any order: custom resources have their metadata after the items.
 * For one use, not thread-safe.
 *
 * <p>Items of built-in types have no kind and apiVersion. The reader inserts them at the beginning,
 * in the form in which a watch sends them, so that the bytes of an object are the same from both.
 * Items with one of the two are not changed.
 *
 * <p>An item that is too large, or no object, is reported separately, and the list continues. The
 * content of an item is not checked: {@link KubeObject#read} does that.
 */
public final class ListReader {

  /**
   * Metadata of a list.
   *
   * @param resourceVersion empty if the list has none
   * @param continueToken empty on the last page
   * @param remainingItemCount number of items on later pages; -1 if unknown
   */
  public record ListMetadata(
      String resourceVersion, String continueToken, long remainingItemCount) {
    private static final ListMetadata NONE = new ListMetadata("", "", -1);
  }

  /** Sink of the items of a list. */
  public interface Items {
    /** Receives an item in a new array. */
    void item(byte[] object);

    /**
     * Receives the beginning of an item that is too large, or is no object.
     *
     * @param beginning its first bytes, in a new array
     * @param problem description without object content
     */
    void unreadable(byte[] beginning, String problem);
  }

  /** Text that JSON writes without escapes. */
  private static final String PLAIN = "[^\"\\\\\\p{Cntrl}]+";

  private final StreamScanner scanner;
  private final byte[] typed;
  private ListMetadata metadata = ListMetadata.NONE;

  /**
   * @param apiVersion apiVersion of the items: {@code v1}, {@code apps/v1}
   * @param kind kind of the items
   * @param maxItemBytes maximum size of an item, or of the metadata, 1 to 2^29
   */
  public ListReader(InputStream in, String apiVersion, String kind, int maxItemBytes) {
    if (!kind.matches(PLAIN) || !apiVersion.matches(PLAIN)) {
      throw new IllegalArgumentException("kind " + kind + ", apiVersion " + apiVersion);
    }
    this.scanner = StreamScanner.ofDocument(in, maxItemBytes);
    this.typed =
        ("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion + "\",")
            .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the complete document. If this throws, the caller has to discard the items so far.
   *
   * @throws TruncatedJsonException if the document is incomplete
   * @throws JsonException if it is not a list
   */
  public ListMetadata read(Items items) throws IOException, JsonException {
    boolean found = false;
    scanner.expect('{');
    if (!scanner.accept('}')) {
      do {
        String key = scanner.text();
        scanner.expect(':');
        switch (key) {
          case "items" -> {
            if (found) {
              throw new JsonException("a list names its items twice");
            }
            found = true;
            items(items);
          }
          case "metadata" -> metadata();
          default -> scanner.skip();
        }
      } while (scanner.accept(','));
      scanner.expect('}');
    }
    if (!scanner.atEnd()) {
      throw scanner.unexpected();
    }
    if (!found) {
      throw new JsonException("a JSON object without items, where a list was expected");
    }
    return metadata;
  }

  private void items(Items items) throws IOException, JsonException {
    if (scanner.peek() == 'n') {
      scanner.skip(); // null, as some servers print an empty list
      return;
    }
    scanner.expect('[');
    if (scanner.accept(']')) {
      return;
    }
    do {
      boolean isObject = scanner.peek() == '{';
      scanner.markTruncating();
      scanner.skip();
      scanner.checkSize();
      byte[] beginning = scanner.beginning();
      if (beginning != null) {
        items.unreadable(beginning, scanner.tooLarge());
      } else if (isObject) {
        items.item(item());
      } else {
        items.unreadable(rawItem(), "an item of a list is not an object");
      }
      scanner.unmark();
    } while (scanner.accept(','));
    scanner.expect(']');
  }

  private byte[] item() {
    byte[] buffer = scanner.buffer;
    int from = scanner.mark;
    int length = scanner.at - from;
    try {
      if (scanner.maybeTyped && hasType(scanner.keptScanner())) {
        return rawItem();
      }
      byte[] item = new byte[typed.length - 1 + length];
      System.arraycopy(typed, 0, item, 0, typed.length);
      System.arraycopy(buffer, from + 1, item, typed.length, length - 1);
      JsonScanner object = scanner.keptScanner();
      object.expect('{');
      if (object.peek() == '}') {
        item[typed.length - 1] = ' '; // an object without members has no comma
      }
      return item;
    } catch (JsonException e) {
      return rawItem(); // the reader of the object finds the same error
    }
  }

  private byte[] rawItem() {
    return Arrays.copyOfRange(scanner.buffer, scanner.mark, scanner.at);
  }

  /** Returns whether the item has a type. Kubernetes' own encoders print an existing type first. */
  private static boolean hasType(JsonScanner item) throws JsonException {
    item.expect('{');
    do {
      item.readString();
      if (item.nameIs(StreamScanner.KIND) || item.nameIs(StreamScanner.API_VERSION)) {
        return true;
      }
      item.expect(':');
      item.skip();
    } while (item.accept(','));
    return false;
  }

  private void metadata() throws IOException, JsonException {
    if (scanner.peek() != '{') {
      scanner.skip(); // null
      return;
    }
    scanner.mark();
    scanner.skip();
    scanner.checkSize();
    byte[] buffer = scanner.buffer;
    JsonScanner object = scanner.keptScanner();
    String version = "";
    String token = "";
    long remaining = -1;
    object.expect('{');
    if (!object.accept('}')) {
      do {
        object.readString();
        String key = JsonScanner.decode(buffer, object.stringFrom, object.stringTo);
        object.expect(':');
        switch (key) {
          case "resourceVersion" -> version = text(buffer, object);
          case "continue" -> token = text(buffer, object);
          case "remainingItemCount" -> remaining = number(buffer, object);
          default -> object.skip();
        }
      } while (object.accept(','));
    }
    metadata = new ListMetadata(version, token, remaining);
    scanner.unmark();
  }

  /** Returns a text; a version may be a number, as some servers write it. */
  private static String text(byte[] buffer, JsonScanner at) throws JsonException {
    if (at.peek() != '"') {
      int from = at.position();
      at.skipLiteral();
      String literal = new String(buffer, from, at.position() - from, StandardCharsets.US_ASCII);
      return literal.equals("null") ? "" : literal;
    }
    at.readString();
    return JsonScanner.decode(buffer, at.stringFrom, at.stringTo);
  }

  private static long number(byte[] buffer, JsonScanner at) throws JsonException {
    at.peek();
    int from = at.position();
    at.skip(); // informational only: any value is accepted
    String digits = new String(buffer, from, at.position() - from, StandardCharsets.US_ASCII);
    return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : -1;
  }
}
