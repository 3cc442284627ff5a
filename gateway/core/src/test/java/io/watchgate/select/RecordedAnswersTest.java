package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectionException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that selections match as in a real apiserver, with the same error texts. */
class RecordedAnswersTest {
  private static final Recorded RECORDED = new Recorded();

  private static Stream<Recorded.Answer> answers() {
    return RECORDED.answers.stream().filter(answer -> !answer.labels().contains("\0"));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void answersLikeApiserver(Recorded.Answer answer) throws SelectionException {
    if (answer.error() != null) {
      assertThatThrownBy(() -> selection(answer))
          .isInstanceOfSatisfying(
              SelectionException.class,
              e -> {
                assertThat(e).hasMessage(answer.error());
                String text = answer.labels() + answer.fields();
                assertThat(e.column()).isBetween(1, text.codePointCount(0, text.length()) + 1);
              });
      return;
    }
    CompiledSelection selection = selection(answer);
    assertThat(selected(answer.type(), selection)).isEqualTo(answer.keys());

    CompiledSelection again =
        CompiledSelection.of(
            RECORDED.type(answer.type()),
            List.of(),
            selection.labels().canonical(),
            selection.fields().canonical());
    assertThat(again).as("parsed from its canonical text").isEqualTo(selection);
  }

  @Test
  void recording_coversGrammarAndTypes() {
    assertThat(RECORDED.types).hasSizeGreaterThanOrEqualTo(24);
    assertThat(RECORDED.answers).hasSizeGreaterThan(1500);
    assertThat(RECORDED.answers.stream().filter(answer -> answer.error() != null).count())
        .isGreaterThan(500);
  }

  @Test
  void selectorWithNul_isRefused() {
    List<Recorded.Answer> cut =
        RECORDED.answers.stream().filter(answer -> answer.labels().contains("\0")).toList();
    assertThat(cut).isNotEmpty();
    for (Recorded.Answer answer : cut) {
      assertThatThrownBy(() -> selection(answer))
          .isInstanceOfSatisfying(
              SelectionException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(Reason.SELECTOR_INVALID);
                assertThat(e.column()).isEqualTo(answer.labels().indexOf('\0') + 1);
                assertThat(e).hasMessageContaining("U+0000");
              });
    }
  }

  private static CompiledSelection selection(Recorded.Answer answer) throws SelectionException {
    return CompiledSelection.of(
        RECORDED.type(answer.type()), List.of(), answer.labels(), answer.fields());
  }

  private static List<String> selected(String type, CompiledSelection selection) {
    return RECORDED.objects(type).stream()
        .filter(selection::matches)
        .map(KubeObject::key)
        .map(key -> new String(key, StandardCharsets.UTF_8))
        .sorted()
        .toList();
  }
}
