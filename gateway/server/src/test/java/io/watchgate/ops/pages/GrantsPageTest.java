package io.watchgate.ops.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Callers;
import io.watchgate.auth.Credentials;
import io.watchgate.auth.GrantListener;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.TimeSource;
import io.watchgate.error.ApiError;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the page of grants, with an apiserver that a test scripts. */
final class GrantsPageTest {
  private static final class Stream implements GrantListener {
    @Override
    public void reauthenticate() {}

    @Override
    public void revoke(ApiError refusal) {}
  }

  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final AccessController access = access(Callers.settings(AuthSettings.Quotas.DEFAULTS));
  private final DebugPage page = new GrantsPage(access).page();

  private AccessController access(AuthSettings settings) {
    AccessController.Reviewers reviewers = new AccessController.Reviewers(apiserver, apiserver);
    try {
      return AccessController.of(
          settings, reviewers, reviewers, TimeSource.SYSTEM, AuthMetrics.NONE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    access.close();
  }

  private AccessController.Admitted open(String user, String token, String... namespaces)
      throws Exception {
    apiserver.knows(token, user);
    Caller caller = access.authenticate(new Credentials.Bearer(token), "here");
    CompiledSelection selection =
        CompiledSelection.of(
            SelectableFields.of(CacheWriter.DEFINITION), List.of(namespaces), "app=web", "");
    return access.admit(caller, selection, "FULL", new Stream());
  }

  private static JsonObject content(DebugPage page, String query) throws Exception {
    return DebugPages.content(page, page.path(), query, ObjectAccess.ALL);
  }

  private List<JsonObject> rows(String query) throws Exception {
    return content(page, query).getAsJsonArray("grants").asList().stream()
        .map(row -> row.getAsJsonObject())
        .toList();
  }

  private List<String> users(String query) throws Exception {
    return rows(query).stream().map(row -> row.get("user").getAsString()).toList();
  }

  @Test
  void grant_isShownWithItsAnswerAndTimes_andNoToken() throws Exception {
    Instant expiry = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
    String token = Callers.expiring(expiry);
    var _ = open("ann", token, "shop", "bank");
    var _ = open("ann", token, "shop", "bank");

    JsonObject content = content(page, "");
    JsonObject row = rows("").getFirst();

    assertThat(content.get("total").getAsInt()).isEqualTo(1);
    assertThat(row.get("user").getAsString()).isEqualTo("ann");
    assertThat(row.get("credentials").getAsString()).isEqualTo("token");
    assertThat(row.get("type").getAsString()).isEqualTo("configmaps");
    assertThat(row.getAsJsonArray("namespaces")).hasToString("[\"bank\",\"shop\"]");
    assertThat(row.get("labels").getAsString()).isEqualTo("app=web");
    assertThat(row.get("streams").getAsInt()).isEqualTo(2);
    assertThat(row.get("answer").getAsString()).isEqualTo("allowed");
    assertThat(Instant.parse(row.get("asked").getAsString())).isBeforeOrEqualTo(Instant.now());
    assertThat(row.get("unansweredSince").getAsString()).isEmpty();
    assertThat(Duration.between(Instant.now(), Instant.parse(row.get("nextCheck").getAsString())))
        .isBetween(Duration.ofSeconds(200), Duration.ofSeconds(331));
    assertThat(Instant.parse(row.get("expires").getAsString())).isEqualTo(expiry);
    for (String part : token.split("\\.", -1)) {
      assertThat(content.toString()).doesNotContain(part);
    }
  }

  @Test
  void rows_areOrderedFilteredAndPaged() throws Exception {
    List<AccessController.Admitted> streams = new ArrayList<>();
    for (String user : List.of("carl", "ann", "bob")) {
      streams.add(open(user, "token-of-" + user));
    }
    var _ = open("bob", "token-of-bob");
    var _ = open("dora", Callers.expiring(Instant.now().plusSeconds(900)));

    assertThat(users("")).containsExactly("ann", "bob", "carl", "dora");
    assertThat(users("sort=streams")).containsExactly("bob", "ann", "carl", "dora");
    assertThat(users("sort=expires").getFirst()).isEqualTo("dora");
    assertThat(rows("sort=next")).extracting(row -> row.get("nextCheck").getAsString()).isSorted();
    assertThat(users("limit=2&offset=1")).containsExactly("bob", "carl");
    assertThat(content(page, "limit=2&offset=1").get("total").getAsInt()).isEqualTo(4);
    assertThat(users("user=ann")).containsExactly("ann");
    assertThat(users("user=an")).isEmpty();
    assertThat(users("type=configmaps")).hasSize(4);
    assertThat(users("type=pods")).isEmpty();
    streams.forEach(AccessController.Admitted::close);
    assertThat(users("")).containsExactly("bob", "dora");
    assertThatThrownBy(() -> rows("sort=name"))
        .isInstanceOf(PageException.class)
        .hasMessage("sort=name is none of user, next, expires, streams");
  }

  @Test
  void columns_nameTheirOrderInHtml() throws Exception {
    var _ = open("ann", "a-token");
    HtmlPage html = new HtmlPage(DebugPages.NONE);

    assertThat(html.of(page, page.path(), page.given(""), content(page, "")))
        .contains(
            "data-orders=\"user=user=ascending nextCheck=next=ascending"
                + " expires=expires=ascending streams=streams=descending\"")
        .contains("aria-sort=\"ascending\"><a href=\"/debug/grants?sort=user\">user</a>")
        .contains("href=\"/debug/types/configmaps\"");
  }

  @Test
  void withoutAuthentication_pageSaysSo() throws Exception {
    try (AccessController open = AccessController.allowAll(TimeSource.SYSTEM)) {
      JsonObject content = content(new GrantsPage(open).page(), "");
      assertThat(content.get("callers").getAsString()).startsWith("not authenticated");
      assertThat(content.getAsJsonArray("grants")).isEmpty();
    }
  }
}
