package io.watchgate.select;

import io.watchgate.select.SelectionException.Reason;
import java.nio.charset.StandardCharsets;

/** Text of a selector, with factories of errors at a position in it. */
record SelectorText(String field, String text) {

  /**
   * @param field field of the request, {@code selection.label_selector}
   * @throws SelectionException if the text is longer than allowed
   */
  static SelectorText of(String field, String text) throws SelectionException {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    if (length > SelectionLimits.MAX_SELECTOR_BYTES) {
      throw new SelectionException(
          Reason.TOO_COMPLEX,
          field,
          0,
          "the selector has %d bytes, at most %d are served; shorten it or split the selection"
              .formatted(length, SelectionLimits.MAX_SELECTOR_BYTES));
    }
    return new SelectorText(field, text);
  }

  /** Returns the error for the char at this index. */
  SelectionException invalid(int at, String message) {
    return error(Reason.SELECTOR_INVALID, at, message);
  }

  SelectionException notSelectable(int at, String message) {
    return error(Reason.FIELD_NOT_SELECTABLE, at, message);
  }

  /** Checks the number of requirements, or of values, up to the char at this index. */
  void limit(int at, String subject, int count, int most) throws SelectionException {
    if (count > most) {
      throw error(
          Reason.TOO_COMPLEX,
          at,
          "the selector has more than %d %s; shorten it or split the selection"
              .formatted(most, subject));
    }
  }

  private SelectionException error(Reason reason, int at, String message) {
    return new SelectionException(reason, field, text.codePointCount(0, at) + 1, message);
  }
}
