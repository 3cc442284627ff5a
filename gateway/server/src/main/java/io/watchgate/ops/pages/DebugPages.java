package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Registry of the pages of one gateway, and the page that lists them. Immutable, thread-safe. */
public final class DebugPages {
  /** No pages but the list. */
  public static final DebugPages NONE =
      new DebugPages(List.of(), new RateHistory(new PrometheusRegistry(), InstantSource.system()));

  private final List<DebugPage> all;
  private final RateHistory rates;

  /**
   * @param rates rates for the charts
   */
  public DebugPages(List<DebugPage> pages, RateHistory rates) {
    this.rates = rates;
    List<DebugPage> listed = new ArrayList<>(pages);
    listed.add(
        new DebugPage(
            "/debug/list",
            DebugPage.Access.GUARDED,
            List.of(),
            "The pages, and their parameters.",
            query -> list()));
    this.all = List.copyOf(listed);
  }

  /** Returns the pages, the list among them. */
  public List<DebugPage> all() {
    return all;
  }

  RateHistory rates() {
    return rates;
  }

  /** Returns the page of a path, without its query. */
  public Optional<DebugPage> find(String path) {
    return all.stream()
        .filter(
            page ->
                page.hasRest()
                    ? path.startsWith(page.path()) && path.length() > page.path().length()
                    : path.equals(page.path()))
        .findFirst();
  }

  /**
   * Returns the content of a page that can only be read.
   *
   * @param path path as requested, decoded
   * @param query the part of the URL after the question mark; null if there is none
   * @param objects access of the reader to objects of the cluster
   */
  public static JsonObject content(
      DebugPage page, String path, @Nullable String query, ObjectAccess objects)
      throws PageException, InterruptedException {
    String rest = page.hasRest() ? path.substring(page.path().length()) : "";
    return switch (page.maker()) {
      case DebugPage.Content content ->
          content.of(PageQuery.parse(page.parameterNames(), rest, query, objects));
      case DebugPage.Action _ ->
          throw new IllegalArgumentException(page.path() + " is an action, without a content");
    };
  }

  private JsonObject list() {
    JsonArray rows = new JsonArray();
    for (DebugPage page : all) {
      JsonObject row = new JsonObject();
      row.addProperty("path", page.hasRest() ? page.path() + "NAME" : page.path());
      JsonArray parameters = new JsonArray();
      page.parameterNames().forEach(parameters::add);
      row.add("parameters", parameters);
      row.addProperty("help", page.help());
      rows.add(row);
    }
    JsonObject content = new JsonObject();
    content.add("pages", rows);
    return content;
  }
}
