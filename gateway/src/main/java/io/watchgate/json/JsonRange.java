package io.watchgate.json;

/**
 * Where the value of a member of an object stands in its bytes: {@code [from, to)}.
 *
 * @param from the value's first byte
 * @param to after its last
 */
public record JsonRange(int from, int to) {
  /** Not there. */
  public static final JsonRange NONE = new JsonRange(0, 0);

  /**
   * The first member of that name, or {@link #NONE}.
   *
   * @param object one JSON object
   * @param name in ASCII
   * @throws JsonException if it is none, up to that member
   */
  public static JsonRange find(byte[] object, byte[] name) throws JsonException {
    JsonScanner scanner = new JsonScanner(object, 0, object.length);
    scanner.expect('{');
    if (scanner.accept('}')) {
      return NONE;
    }
    do {
      scanner.string();
      boolean found = scanner.nameIs(name);
      scanner.expect(':');
      scanner.peek();
      int from = scanner.position();
      scanner.skip();
      if (found) {
        return new JsonRange(from, scanner.position());
      }
    } while (scanner.accept(','));
    return NONE;
  }
}
