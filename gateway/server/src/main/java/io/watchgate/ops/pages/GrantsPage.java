package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.GrantState;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Page of the grants: which caller may watch which selection, by which answer, and until when. It
 * has no credentials, only their kind and their expiry.
 */
public final class GrantsPage {
  private final AccessController access;

  public GrantsPage(AccessController access) {
    this.access = access;
  }

  /** Returns the page with its path and its parameters. */
  public DebugPage page() {
    DebugPage.Parameter sort =
        new DebugPage.Parameter(
            "sort",
            Stream.of(Order.values())
                .map(
                    order ->
                        new DebugPage.Choice(
                            PageQuery.label(order), order.column, order.direction()))
                .toList());
    return new DebugPage(
        "/debug/grants",
        DebugPage.Access.GUARDED,
        Stream.of(
                DebugPage.Parameter.texts("user", "type").stream(),
                Stream.of(sort),
                DebugPage.Parameter.texts("limit", "offset").stream())
            .flatMap(parameters -> parameters)
            .toList(),
        "Who may watch what, and until when: of a user, a type; sort=user, next, expires, streams;"
            + " limit and offset.",
        this::content);
  }

  private enum Order {
    USER("user"),
    NEXT("nextCheck"),
    EXPIRES("expires"),
    STREAMS("streams");

    private final String column;

    Order(String column) {
      this.column = column;
    }

    DebugPage.Direction direction() {
      return this == STREAMS ? DebugPage.Direction.DESCENDING : DebugPage.Direction.ASCENDING;
    }

    Comparator<GrantState> comparator() {
      Comparator<GrantState> byName =
          Comparator.comparing(GrantState::user)
              .thenComparing(grant -> grant.selection().canonical());
      return switch (this) {
        case USER -> byName;
        case NEXT -> Comparator.comparing(GrantState::nextCheck).thenComparing(byName);
        case EXPIRES ->
            Comparator.comparing(
                    GrantState::expiry, Comparator.nullsLast(Comparator.<Instant>naturalOrder()))
                .thenComparing(byName);
        case STREAMS ->
            Comparator.comparingInt(GrantState::streams).reversed().thenComparing(byName);
      };
    }
  }

  private JsonObject content(PageQuery query) throws PageException {
    int limit = query.number("limit", StreamsPage.DEFAULT_ROWS, 1, StreamsPage.MAX_ROWS);
    int offset = query.number("offset", 0, 0, StreamsPage.MAX_OFFSET);
    Comparator<GrantState> order = query.choice("sort", Order.USER).comparator();
    FirstRows<GrantState> first = new FirstRows<>(order, offset + limit);
    access.forEachGrant(
        grant -> {
          if (StreamsPage.isAsked(query.text("user"), grant.user())
              && StreamsPage.isAsked(
                  query.text("type"), grant.selection().type().groupResource())) {
            first.add(grant);
          }
        });
    JsonArray rows = new JsonArray();
    first.stream().sorted(order).skip(offset).limit(limit).forEach(grant -> rows.add(row(grant)));
    JsonObject content = new JsonObject();
    addSettings(content);
    StreamsPage.addRows(content, "grants", first.total(), offset, rows);
    return content;
  }

  private void addSettings(JsonObject content) {
    AuthSettings settings = access.settings();
    if (!settings.identification().isEnabled()) {
      content.addProperty(
          "callers", "not authenticated: all may watch all served types, without a grant");
      return;
    }
    content.addProperty(
        "callers",
        switch (settings.authorization()) {
          case KUBERNETES -> "authenticated: the apiserver decides what each may watch";
          case NONE -> "authenticated: each may watch all served types";
        });
    content.addProperty("recheckSeconds", settings.rechecks().interval().toSeconds());
    content.addProperty("graceSeconds", settings.rechecks().grace().toSeconds());
    content.addProperty("cachedAnswers", access.cachedAnswers());
  }

  private static JsonObject row(GrantState grant) {
    JsonObject row = new JsonObject();
    row.addProperty("user", grant.user());
    row.addProperty("credentials", grant.credentials());
    StreamsPage.addSelection(row, grant.selection());
    row.addProperty("streams", grant.streams());
    row.addProperty("answer", PageQuery.label(grant.answer()));
    row.addProperty("asked", TextPage.time(grant.askedAt()));
    row.addProperty("unansweredSince", timeOrEmpty(grant.unansweredSince()));
    row.addProperty("nextCheck", TextPage.time(grant.nextCheck()));
    row.addProperty("expires", timeOrEmpty(grant.expiry()));
    return row;
  }

  private static String timeOrEmpty(@Nullable Instant time) {
    return time == null ? "" : TextPage.time(time);
  }
}
