package io.watchgate.docs;

import java.util.List;

/**
 * Page of {@code docs/reference} that is generated from the code.
 *
 * @param name name of its file
 * @param source the sources of the page, for its readers
 * @param next links of its last line, two of them
 */
record ReferencePage(String name, String title, String source, List<String> body, String next) {
  /** Returns the text of the file. */
  String text() {
    return """
    ---
    kind: reference
    title: %s
    ---
    # %s

    Generated from %s; `ReferencePagesTest` keeps it current.

    %s

    Next: %s.
    """
        .formatted(title, title, source, String.join("\n", body).strip(), next);
  }

  /** Returns a text that is safe in a cell of a table. */
  static String cell(String text) {
    return text.replace("|", "\\|")
        .replace("*", "\\*")
        .replace("<", "&lt;")
        .replaceAll("\\s+", " ")
        .strip();
  }
}
