package io.watchgate.select;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectionException.Reason;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fuzz test that any text is a selector equal to its canonical text, or is refused with a message.
 */
final class FieldSelectorFuzzTest {
  private static final Recorded RECORDED = new Recorded();
  private static final Map<SelectableFields, List<KubeObject>> TYPES =
      Stream.of("pods", "events", "nodes", "widgets.example.com")
          .collect(Collectors.toMap(RECORDED::type, RECORDED::objects));

  @FuzzTest
  void aSelectorIsWhatItsCanonicalTextSaysOrIsRefused(byte[] utf8) throws SelectionException {
    String text = new String(utf8, UTF_8);
    for (var type : TYPES.entrySet()) {
      check(text, type.getKey(), type.getValue());
    }
  }

  private static void check(String text, SelectableFields fields, List<KubeObject> objects)
      throws SelectionException {
    FieldSelector selector;
    try {
      selector = FieldSelector.parse(text, fields);
    } catch (SelectionException e) {
      RefusalCheck.check(e, text);
      return;
    }
    if (!RefusalCheck.isTooLong(selector.canonical())) {
      FieldSelector again = FieldSelector.parse(selector.canonical(), fields);
      assertThat(again).isEqualTo(selector);
      assertThat(again.requirements()).isEqualTo(selector.requirements());
      assertThat(again.canonical()).isEqualTo(selector.canonical());
      for (KubeObject object : objects) {
        assertThat(again.matches(object)).isEqualTo(selector.matches(object));
        assertThat(selector.matches(object)).isEqualTo(matches(selector, fields, object));
      }
    }
    twice(text, selector, fields);
  }

  /** Matches by the definition of each requirement. */
  private static boolean matches(
      FieldSelector selector, SelectableFields fields, KubeObject object) {
    return selector.requirements().stream()
        .allMatch(
            one ->
                fields.value(object, one.field()).equals(one.value())
                    == (one.operator() == FieldRequirement.Operator.EQUAL));
  }

  /** Checks that a repeated selector has the same meaning. */
  private static void twice(String text, FieldSelector selector, SelectableFields fields)
      throws SelectionException {
    try {
      assertThat(FieldSelector.parse(text + "," + text, fields)).isEqualTo(selector);
    } catch (SelectionException e) {
      if (e.reason() != Reason.TOO_COMPLEX) {
        throw e;
      }
    }
  }
}
