package io.watchgate.json;

/**
 * Byte range of the value of an object's member: {@code [from, to)}.
 *
 * @param from first byte of the value
 * @param to end, exclusive
 */
public record JsonRange(int from, int to) {
  /** Range of an absent member. */
  public static final JsonRange NONE = new JsonRange(0, 0);

  /**
   * Returns the first member of that name, or {@link #NONE}.
   *
   * @param object one JSON object
   * @param name in ASCII
   * @throws JsonException if the bytes up to that member are no object
   */
  public static JsonRange find(byte[] object, byte[] name) throws JsonException {
    JsonScanner scanner = new JsonScanner(object, 0, object.length);
    scanner.expect('{');
    if (scanner.accept('}')) {
      return NONE;
    }
    do {
      scanner.readString();
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
