package io.watchgate.json;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * JSON pointer from the root of a document to a part of it (RFC 6901). Immutable. Each pointer has
 * only one text, so pointers are compared as texts.
 *
 * @param names names from the root to the part, at least one: of members, or the index of an
 *     element in digits
 */
public record JsonPointer(List<String> names) implements Comparable<JsonPointer> {
  private static final Comparator<JsonPointer> ORDER = Comparator.comparing(JsonPointer::text);

  public JsonPointer {
    names = List.copyOf(names);
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a pointer to a whole document selects no part");
    }
  }

  /**
   * Parses a pointer, {@code /metadata/annotations/example.com~1owner}.
   *
   * @throws JsonException if it is none, or the empty pointer, which selects the complete document;
   *     the message is a continuation of the text: {@code has to begin with /}
   */
  public static JsonPointer parse(String text) throws JsonException {
    if (text.isEmpty()) {
      throw new JsonException("is empty and means all of the object");
    }
    if (text.charAt(0) != '/') {
      throw new JsonException("has to begin with /");
    }
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int i = 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '/') {
        names.add(name.toString());
        name.setLength(0);
      } else if (c != '~') {
        name.append(c);
      } else if (i + 1 < text.length()
          && (text.charAt(i + 1) == '0' || text.charAt(i + 1) == '1')) {
        i++;
        name.append(text.charAt(i) == '0' ? '~' : '/');
      } else {
        throw new JsonException(
            "has a ~ at column "
                + (i + 1)
                + " without 0 or 1 behind it (~0 stands for ~, ~1 for / in a name)");
      }
    }
    names.add(name.toString());
    return new JsonPointer(names);
  }

  /** Returns the text of RFC 6901. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (String name : names) {
      text.append('/').append(name.replace("~", "~0").replace("/", "~1"));
    }
    return text.toString();
  }

  @Override
  public int compareTo(JsonPointer other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return text();
  }
}
