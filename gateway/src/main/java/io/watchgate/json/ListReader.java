package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the document that answers a list, item by item; no more than one item and a buffer are in
 * memory. The keys of the document may come in any order: custom resources have their metadata
 * after the items. One use, not thread-safe.
 *
 * <p>Items of built-in types lack kind and apiVersion. They get them in front, in the form in which
 * a watch sends them, so that the bytes of an object are the same from both. Items that carry
 * either are left as they are.
 *
 * <p>An item that is too large, or no object, is handed over apart, and the list goes on. What an
 * item holds is not looked at: that is for {@link KubeObject#read}.
 */
public final class ListReader {

  /**
   * Metadata of a list.
   *
   * @param resourceVersion empty if it names none
   * @param continueToken empty on the last page
   * @param remainingItemCount how many are on later pages; -1: not said
   */
  public record ListMetadata(
      String resourceVersion, String continueToken, long remainingItemCount) {
    private static final ListMetadata NONE = new ListMetadata("", "", -1);
  }

  /** Takes the items of a list. */
  public interface Items {
    /** An item, in an array that is its own. */
    void item(byte[] object);

    /**
     * An item that cannot be handed over whole, or is no object.
     *
     * @param beginning its first bytes, in an array that is its own
     * @param problem in words, without content
     */
    void unreadable(byte[] beginning, String problem);
  }

  /** Text that JSON writes without escapes. */
  private static final String PLAIN = "[^\"\\\\\\p{Cntrl}]+";

  private final StreamScanner scanner;
  private final byte[] typed;
  private ListMetadata metadata = ListMetadata.NONE;

  /**
   * @param apiVersion of the items: {@code v1}, {@code apps/v1}
   * @param kind of the items
   * @param maxItemBytes how large an item, or the metadata, may be, 1 to 2^29
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
   * Reads all of it. The items got so far are worth nothing if this throws.
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
      scanner.markCutting();
      scanner.skip();
      scanner.checkSize();
      byte[] beginning = scanner.beginning();
      if (beginning != null) {
        items.unreadable(beginning, scanner.tooLarge());
      } else if (isObject) {
        items.item(item());
      } else {
        items.unreadable(asItIs(), "an item of a list is no object");
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
      if (scanner.maybeTyped && carriesType(scanner.kept())) {
        return asItIs();
      }
      byte[] item = new byte[typed.length - 1 + length];
      System.arraycopy(typed, 0, item, 0, typed.length);
      System.arraycopy(buffer, from + 1, item, typed.length, length - 1);
      JsonScanner object = scanner.kept();
      object.expect('{');
      if (object.peek() == '}') {
        item[typed.length - 1] = ' '; // an object without members bears no comma
      }
      return item;
    } catch (JsonException e) {
      return asItIs(); // its reader finds out the same
    }
  }

  private byte[] asItIs() {
    return Arrays.copyOfRange(scanner.buffer, scanner.mark, scanner.at);
  }

  /** A type that is there stands first in all that Kubernetes' own encoders print. */
  private static boolean carriesType(JsonScanner item) throws JsonException {
    item.expect('{');
    do {
      item.string();
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
    JsonScanner object = scanner.kept();
    String version = "";
    String token = "";
    long remaining = -1;
    object.expect('{');
    if (!object.accept('}')) {
      do {
        object.string();
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

  /** A version may be a number, as some servers write it. */
  private static String text(byte[] buffer, JsonScanner at) throws JsonException {
    if (at.peek() != '"') {
      int from = at.position();
      at.literal();
      String literal = new String(buffer, from, at.position() - from, StandardCharsets.US_ASCII);
      return literal.equals("null") ? "" : literal;
    }
    at.string();
    return JsonScanner.decode(buffer, at.stringFrom, at.stringTo);
  }

  private static long number(byte[] buffer, JsonScanner at) throws JsonException {
    at.peek();
    int from = at.position();
    at.skip(); // it only informs: whatever it is, the list goes on
    String digits = new String(buffer, from, at.position() - from, StandardCharsets.US_ASCII);
    return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : -1;
  }
}
