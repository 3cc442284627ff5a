package io.watchgate.ops.pages;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * Page for operators.
 *
 * @param path absolute path; if it ends with a slash, the rest of the requested path is the
 *     parameter {@link PageQuery#rest}
 * @param parameters names of the query parameters that it takes
 * @param help one sentence, for the list of pages
 */
public record DebugPage(
    String path, Access access, List<String> parameters, String help, Content content) {

  public DebugPage {
    parameters = List.copyOf(parameters);
  }

  /** Callers that may get a page. */
  public enum Access {
    /** All, as for the probes. */
    OPEN,
    /** Those of this host, and those with the right to get the path. */
    GUARDED
  }

  /** Maker of the content. Called on a thread that may block. */
  @FunctionalInterface
  public interface Content {
    /**
     * Returns the content with its members in the order of the text form. A member is a value, an
     * object of values, or an array of objects, which is a table.
     *
     * @throws PageException if the query cannot be answered
     */
    JsonObject of(PageQuery query) throws PageException, InterruptedException;
  }
}
