package io.watchgate.ops.pages;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a request for a page. Unknown and repeated ones are refused: one that is spelled
 * wrong would otherwise select everything.
 *
 * @param rest part of the path after that of the page, decoded; empty if there is none
 * @param objects access of the reader to objects of the cluster
 */
public record PageQuery(String rest, Map<String, String> parameters, ObjectAccess objects) {

  /**
   * Parses the part of a URL after the question mark.
   *
   * @param known names of the parameters of the page
   * @param raw null if there is none
   */
  public static PageQuery parse(
      List<String> known, String rest, @Nullable String raw, ObjectAccess objects)
      throws PageException {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String part : raw == null || raw.isEmpty() ? new String[0] : raw.split("&", -1)) {
      int equals = part.indexOf('=');
      String name = decode(equals < 0 ? part : part.substring(0, equals));
      if (!known.contains(name)) {
        throw PageException.badQuery(
            "there is no parameter '"
                + name
                + "'; "
                + (known.isEmpty()
                    ? "this page has none"
                    : "this page has " + String.join(", ", known)));
      }
      if (parameters.put(name, decode(equals < 0 ? "" : part.substring(equals + 1))) != null) {
        throw PageException.badQuery("the parameter '" + name + "' is repeated");
      }
    }
    return new PageQuery(rest, parameters, objects);
  }

  private static String decode(String text) throws PageException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw PageException.badQuery("'" + text + "' is no text of a URL: " + e.getMessage());
    }
  }

  /** Returns the text of a parameter, empty without one. */
  public String text(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** Returns the text of a parameter. */
  public String required(String name) throws PageException {
    String text = text(name);
    if (text.isEmpty()) {
      throw PageException.badQuery("the parameter '" + name + "' is missing");
    }
    return text;
  }

  /** Returns a whole number within bounds. */
  public int number(String name, int without, int least, int most) throws PageException {
    String text = text(name);
    if (text.isEmpty()) {
      return without;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw notInRange(name, text, least, most);
    }
    throw notInRange(name, text, least, most);
  }

  private static PageException notInRange(String name, String text, int least, int most) {
    return PageException.badQuery(
        "%s=%s is no whole number from %d to %d".formatted(name, text, least, most));
  }

  /** Returns one of some names, which are written in lower case. */
  public <E extends Enum<E>> E choice(String name, E without) throws PageException {
    String text = text(name);
    if (text.isEmpty()) {
      return without;
    }
    E[] all = without.getDeclaringClass().getEnumConstants();
    for (E each : all) {
      if (label(each).equals(text)) {
        return each;
      }
    }
    throw PageException.badQuery(
        "%s=%s is none of %s"
            .formatted(
                name,
                text,
                Arrays.stream(all).map(PageQuery::label).collect(Collectors.joining(", "))));
  }

  /** Returns the name of a constant on pages. */
  static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
