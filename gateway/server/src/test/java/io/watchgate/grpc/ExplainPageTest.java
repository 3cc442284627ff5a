package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.watchgate.cache.SampleObject;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.ExplainPage;
import io.watchgate.ops.pages.ObjectAccess;
import io.watchgate.ops.pages.PageException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rights that the page of explanations requires of its reader. */
@Tag("slow")
final class ExplainPageTest {
  private final ServerFixture fixture = new ServerFixture(SampleObject.of("ns", "first", 50));
  private final DebugPage page = new ExplainPage(fixture.context.types().registry()).page();
  private final List<String> required = new ArrayList<>();

  @BeforeEach
  void openType() {
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(stream::isSynced);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private JsonObject explain(String object, ObjectAccess objects) throws Exception {
    return DebugPages.content(
        page, page.path(), "type=configmaps&object=" + object + "&labels=a", objects);
  }

  /** The answer would say whether the object exists, and which labels it has. */
  @ParameterizedTest
  @ValueSource(strings = {"ns/first", "ns/none"})
  void readerThatMayNotListTheType_isRefused(String object) {
    assertThatThrownBy(
            () ->
                explain(
                    object,
                    selection -> {
                      throw PageException.denied("no");
                    }))
        .isInstanceOf(PageException.class)
        .hasMessage("no");
  }

  @Test
  void right_isToListTheTypeInTheNamespaceOfTheObject() throws Exception {
    ObjectAccess recording =
        selection ->
            required.add(
                selection.type().groupResource()
                    + selection.namespaces()
                    + selection.labels().canonical());

    assertThat(explain("ns/first", recording).get("held").getAsBoolean()).isTrue();
    assertThat(explain("other/none", recording).get("held").getAsBoolean()).isFalse();

    assertThat(required).containsExactly("configmaps[ns]", "configmaps[other]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/first", "first", "N%20S/first"})
  void objectWithoutANamespaceThatCanBe_isRefused(String object) {
    assertThatThrownBy(() -> explain(object, ObjectAccess.ALL))
        .isInstanceOf(PageException.class)
        .satisfies(e -> assertThat(((PageException) e).status()).isEqualTo(400))
        .hasMessageContaining("namespace");
  }

  @Test
  void withoutObject_requirementsAreCounted_withTheRightToListTheNamespaces() throws Exception {
    ObjectAccess recording = selection -> required.add(selection.namespaces().toString());

    JsonObject content =
        DebugPages.content(
            page,
            page.path(),
            "type=configmaps&namespaces=ns&labels=a,!b&fields=metadata.name%3Dother",
            recording);

    assertThat(required).containsExactly("[ns]");
    assertThat(content.get("counted").getAsInt()).isEqualTo(1);
    assertThat(content.get("matching").getAsInt()).isZero();
    assertThat(content.get("requirements").toString())
        .isEqualTo(
            """
            [{"requirement":"fields: metadata.name=other","met":0,"unmet":1},\
            {"requirement":"labels: a","met":0,"unmet":1}]\
            """);
  }
}
