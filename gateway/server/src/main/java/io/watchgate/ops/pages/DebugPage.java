package io.watchgate.ops.pages;

import com.google.gson.JsonObject;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Page for operators.
 *
 * @param path absolute path; if it ends with a slash, and is not the root, the rest of the
 *     requested path is the parameter {@link PageQuery#rest}
 * @param parameters query parameters that it takes
 * @param help one sentence, for the list of pages
 */
public record DebugPage(
    String path, Access access, List<Parameter> parameters, String help, Maker maker) {

  /** Largest offset of a page that is made again each second. */
  private static final int MAX_LIVE_OFFSET = 1_000;

  public DebugPage {
    parameters = List.copyOf(parameters);
  }

  /** Creates a page that can only be read. */
  public DebugPage(
      String path, Access access, List<Parameter> parameters, String help, Content content) {
    this(path, access, parameters, help, (Maker) content);
  }

  /** Returns whether the page is an action, for POST, with a file as its result. */
  public boolean isAction() {
    return maker instanceof Action;
  }

  /**
   * Query parameter of a page.
   *
   * @param choices its values, the default first; empty if it takes any text
   */
  public record Parameter(String name, List<Choice> choices) {
    public Parameter {
      choices = List.copyOf(choices);
    }

    /** Returns a parameter for each name that takes any text. */
    static List<Parameter> texts(String... names) {
      return Stream.of(names).map(name -> new Parameter(name, List.of())).toList();
    }
  }

  /**
   * Value of a parameter.
   *
   * @param column column of the tables that it orders; empty if it is no order
   * @param direction direction of the values of that column
   */
  public record Choice(String value, String column, Direction direction) {
    /** Returns a value that is no order. */
    static Choice of(String value) {
      return new Choice(value, "", Direction.ASCENDING);
    }
  }

  /** Direction of an order. */
  public enum Direction {
    ASCENDING,
    DESCENDING
  }

  /**
   * Requires that a query may be answered each second: each time all rows up to the last one of the
   * page are collected.
   *
   * @param query null if there is none
   */
  public void requireRepeatable(@Nullable String query) throws PageException {
    int offset = parse(query).number("offset", 0, 0, StreamsPage.MAX_OFFSET);
    if (offset > MAX_LIVE_OFFSET) {
      throw PageException.badQuery(
          "offset=%d: a page that is updated each second begins at row %d at most; select fewer"
                  .formatted(offset, MAX_LIVE_OFFSET)
              + " rows by the other parameters, or ask for the page once");
    }
  }

  /** Returns the names of the parameters. */
  List<String> parameterNames() {
    return parameters.stream().map(Parameter::name).toList();
  }

  /**
   * Returns the parameters of a query that the page takes, to show them again; without those that
   * are wrong.
   *
   * @param query null if there is none
   */
  public Map<String, String> given(@Nullable String query) {
    Map<String, String> given = new LinkedHashMap<>();
    for (String part : query == null ? new String[0] : query.split("&", -1)) {
      try {
        given.putAll(parse(part).parameters());
      } catch (PageException e) {
        // Nothing of it can be shown again. The error of the page says what is wrong.
      }
    }
    return given;
  }

  /**
   * Returns the parameters of a query.
   *
   * @param query null if there is none
   * @throws PageException if one is unknown or repeated
   */
  public PageQuery parse(@Nullable String query) throws PageException {
    return PageQuery.parse(parameterNames(), /* rest= */ "", query, ObjectAccess.ALL);
  }

  /** Returns whether the path is that of several pages, and names none of them. */
  boolean hasRest() {
    return path.length() > 1 && path.endsWith("/");
  }

  /** Callers that may get a page. */
  public enum Access {
    /** All, as for the probes. */
    OPEN,
    /** Those of this host, and those with the right to get the path. */
    GUARDED
  }

  /** Maker of what a page answers. Called on a thread that may block. */
  public sealed interface Maker {}

  /** Maker of the content of a page that can only be read. */
  @FunctionalInterface
  public non-sealed interface Content extends Maker {
    /**
     * Returns the content with its members in the order of the text form. A member is a value, an
     * object of values, or an array of objects, which is a table.
     *
     * @throws PageException if the query cannot be answered
     */
    JsonObject of(PageQuery query) throws PageException, InterruptedException;
  }

  /** Maker of a file, which may take minutes. */
  @FunctionalInterface
  public non-sealed interface Action extends Maker {
    /**
     * Returns the file, which the caller closes.
     *
     * @throws PageException if the query cannot be answered
     */
    Download make(PageQuery query) throws PageException, InterruptedException;
  }

  /**
   * File to download.
   *
   * @param content bytes; closing it deletes what was kept for the file
   */
  public record Download(String name, InputStream content) {}
}
