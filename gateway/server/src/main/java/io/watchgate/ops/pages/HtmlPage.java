package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * HTML form of the pages of one gateway: values, tables that are ordered by links, a form for the
 * parameters. It needs no script; the module {@code page.mjs} keeps it up to date where scripts
 * run, and finds its elements by their {@code data-} attributes. All text of others, such as names
 * of clients, is escaped. Thread-safe.
 */
public final class HtmlPage {
  /**
   * Policy for the browser: nothing from elsewhere, no script or style in the document, and no
   * frame around it.
   */
  public static final String SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

  /** Tables that the parameter of the page orders. */
  private static final Set<String> ORDERED = Set.of("streams", "grants");

  /** Names of values that are paths of pages. */
  private static final Set<String> PATHS = Set.of("path", "pages");

  private final List<DebugPage> pages;
  private final RateHistory rates;

  public HtmlPage(DebugPages pages) {
    this.pages = pages.all();
    this.rates = pages.rates();
  }

  /**
   * Returns a page.
   *
   * @param path the path that was requested
   * @param query the parameters that were given, of which wrong ones are left out
   */
  public String of(DebugPage page, String path, Map<String, String> query, JsonObject content) {
    StringBuilder html = new StringBuilder(1 << 14);
    begin(html, page, path);
    appendLive(html, "page");
    appendParameters(html, page, path, query);
    html.append("<div id=\"content\">\n");
    if (path.equals(OverviewPage.PATH)) {
      RateCharts.append(html, rates.samples());
    }
    appendContent(html, page, path, query, content);
    html.append("</div>\n");
    return end(html);
  }

  /** Returns a page that says why its content could not be made. */
  public String failed(DebugPage page, String path, Map<String, String> query, String reason) {
    StringBuilder html = new StringBuilder();
    begin(html, page, path);
    appendParameters(html, page, path, query);
    appendProblem(html, reason);
    return end(html);
  }

  /** Returns a page without its content. It asks for a token if that may help. */
  public String refused(DebugPage page, String path, PageAuthorizer.Verdict verdict) {
    StringBuilder html = new StringBuilder();
    begin(html, page, path);
    appendProblem(html, verdict.text());
    if (verdict == PageAuthorizer.Verdict.UNKNOWN || verdict == PageAuthorizer.Verdict.DENIED) {
      // POST, so that the token is in no address if the script does not run.
      html.append("<form id=\"token\" method=\"post\" hidden><label>Bearer token ")
          .append(
              "<input type=\"password\" name=\"token\" autocomplete=\"one-time-code\" required>")
          .append("</label><button>Show</button></form>\n");
      appendLive(html, "token");
      html.append("<div id=\"content\"></div>\n");
    }
    return end(html);
  }

  /** Appends the controls of the module, which begins with the page or with a token. */
  private static void appendLive(StringBuilder html, String from) {
    html.append("<div class=\"live\" data-live=\"").append(from).append("\">");
    html.append("<button type=\"button\" id=\"pause\" hidden>Pause</button>");
    html.append("<p id=\"state\" role=\"status\"></p></div>\n");
  }

  private static void appendProblem(StringBuilder html, String reason) {
    html.append("<p class=\"problem\" id=\"problem\">")
        .append(escaped(reason.strip()))
        .append("</p>\n");
  }

  private void begin(StringBuilder html, DebugPage page, String path) {
    String title = title(path);
    html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .append(escaped(title))
        .append(" – Watchgate</title>\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<link rel=\"icon\" href=\"/assets/icon.svg\">\n")
        .append("<link rel=\"stylesheet\" href=\"/assets/page.css\">\n")
        .append("<script type=\"module\" src=\"/assets/page.mjs\"></script>\n</head>\n<body>\n")
        .append("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>")
        .append("<p class=\"name\">Watchgate</p>\n<nav aria-label=\"Pages\"><ul>\n");
    for (DebugPage each : pages) {
      if (!each.hasRest() && !each.isAction()) {
        html.append("<li><a href=\"").append(escaped(each.path())).append('"');
        html.append(each.path().equals(page.path()) ? " aria-current=\"page\">" : ">");
        html.append(escaped(title(each.path()))).append("</a></li>\n");
      }
    }
    html.append("</ul></nav></header>\n<main id=\"main\">\n<h1>")
        .append(escaped(title))
        .append("</h1>\n<p class=\"help\">")
        .append(escaped(page.help()))
        .append("</p>\n");
  }

  private static String end(StringBuilder html) {
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private static String title(String path) {
    return path.equals(OverviewPage.PATH) ? "overview" : path.replaceFirst("^/(debug/)?", "");
  }

  private static void appendParameters(
      StringBuilder html, DebugPage page, String path, Map<String, String> query) {
    // The columns of the overview have links for its only parameter.
    if (page.parameters().isEmpty() || path.equals(OverviewPage.PATH) || page.isAction()) {
      return;
    }
    html.append("<form method=\"get\" action=\"").append(escaped(path)).append("\">\n");
    for (DebugPage.Parameter parameter : page.parameters()) {
      String name = escaped(parameter.name());
      String given = query.getOrDefault(parameter.name(), "");
      html.append("<label>").append(name).append(' ');
      if (parameter.choices().isEmpty()) {
        html.append("<input name=\"%s\" value=\"%s\">".formatted(name, escaped(given)));
      } else {
        html.append("<select name=\"").append(name).append("\">");
        for (DebugPage.Choice choice : parameter.choices()) {
          html.append(choice.value().equals(given) ? "<option selected>" : "<option>")
              .append(escaped(choice.value()))
              .append("</option>");
        }
        html.append("</select>");
      }
      html.append("</label>\n");
    }
    html.append("<button>Show</button>\n</form>\n");
  }

  private static void appendContent(
      StringBuilder html,
      DebugPage page,
      String path,
      Map<String, String> query,
      JsonObject content) {
    boolean isInList = false;
    for (Map.Entry<String, JsonElement> member : content.entrySet()) {
      if (TextPage.isTable(member.getKey(), member.getValue())) {
        html.append(isInList ? "</dl>\n" : "");
        isInList = false;
        appendTable(html, page, path, query, member.getKey(), member.getValue().getAsJsonArray());
      } else {
        html.append(isInList ? "" : "<dl>\n");
        isInList = true;
        String name = escaped(member.getKey());
        html.append("<div><dt>").append(name).append("</dt><dd data-value=\"").append(name);
        html.append("\">").append(cell(member.getKey(), member.getValue())).append("</dd></div>\n");
      }
    }
    html.append(isInList ? "</dl>\n" : "");
  }

  private static void appendTable(
      StringBuilder html,
      DebugPage page,
      String path,
      Map<String, String> query,
      String name,
      JsonArray table) {
    Set<String> columns = new LinkedHashSet<>();
    table.forEach(row -> columns.addAll(row.getAsJsonObject().keySet()));
    String id = "table-" + escaped(name);
    html.append("<h2 id=\"%s\">%s</h2>\n".formatted(id, escaped(name)));
    // It can be scrolled with the keyboard, so it has the focus, a role and a name.
    html.append(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">"
            .formatted(id));
    Map<String, DebugPage.Choice> orders = ORDERED.contains(name) ? orders(page) : Map.of();
    html.append("<table data-table=\"").append(escaped(name)).append("\" data-orders=\"");
    html.append(
        orders.entrySet().stream()
            .map(
                order ->
                    order.getKey()
                        + "="
                        + order.getValue().value()
                        + "="
                        + PageQuery.label(order.getValue().direction()))
            .collect(Collectors.joining(" ")));
    html.append("\">\n<thead><tr>");
    for (String column : columns) {
      appendHeading(html, orders, path, query, column);
    }
    html.append("</tr></thead>\n<tbody>");
    for (JsonElement element : table) {
      JsonObject row = element.getAsJsonObject();
      html.append("<tr>");
      for (String column : columns) {
        JsonElement value = row.get(column);
        html.append(isNumber(value) ? "<td class=\"number\">" : "<td>");
        html.append(cell(column, value)).append("</td>");
      }
      html.append("</tr>");
    }
    html.append("</tbody></table></div>\n");
  }

  /** Returns the orders of a page by the column that each orders, the default first. */
  private static Map<String, DebugPage.Choice> orders(DebugPage page) {
    Map<String, DebugPage.Choice> orders = new LinkedHashMap<>();
    for (DebugPage.Parameter parameter : page.parameters()) {
      for (DebugPage.Choice choice : parameter.choices()) {
        if (!choice.column().isEmpty()) {
          orders.put(choice.column(), choice);
        }
      }
    }
    return orders;
  }

  private static void appendHeading(
      StringBuilder html,
      Map<String, DebugPage.Choice> orders,
      String path,
      Map<String, String> query,
      String column) {
    DebugPage.Choice choice = orders.get(column);
    if (choice == null) {
      html.append("<th scope=\"col\">").append(escaped(column)).append("</th>");
      return;
    }
    String order = query.getOrDefault("sort", orders.values().iterator().next().value());
    html.append("<th scope=\"col\"");
    html.append(
        order.equals(choice.value())
            ? " aria-sort=\"" + PageQuery.label(choice.direction()) + "\">"
            : ">");
    html.append("<a href=\"").append(link(path, query, choice.value())).append("\">");
    html.append(escaped(column)).append("</a></th>");
  }

  /** Returns the address of the same page in another order, from its first row. */
  private static String link(String path, Map<String, String> query, String order) {
    List<String> parts = new ArrayList<>();
    query.forEach(
        (key, text) -> {
          if (!key.equals("sort") && !key.equals("offset") && !text.isEmpty()) {
            parts.add(encoded(key) + "=" + encoded(text));
          }
        });
    parts.add("sort=" + encoded(order));
    return escaped(path + "?" + String.join("&", parts));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static boolean isNumber(@Nullable JsonElement value) {
    return value instanceof JsonPrimitive primitive && primitive.isNumber();
  }

  private static String cell(String column, @Nullable JsonElement value) {
    String text = TextPage.cell(column, value);
    if (isNumber(value)) {
      return number(Double.parseDouble(text));
    }
    if (column.equals("type") && !text.equals("-")) {
      return "<a href=\"/debug/types/%s\">%s</a>"
          .formatted(encoded(text).replace("+", "%20"), escaped(text));
    }
    if (PATHS.contains(column) && !text.endsWith("/NAME")) {
      return "<a href=\"%s\">%s</a>".formatted(escaped(text), escaped(text));
    }
    return escaped(text);
  }

  /** Returns a number with a narrow space between groups of three digits. */
  static String number(double value) {
    String text = value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    int point = text.indexOf('.');
    String integer = point < 0 ? text : text.substring(0, point);
    String fraction = point < 0 ? "" : text.substring(point);
    return integer.replaceAll("(?<=[0-9])(?=([0-9]{3})+$)", "\u202f") + fraction;
  }

  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
