package io.watchgate.select;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.watchgate.json.KubeObject;
import io.watchgate.labels.LabelSelectorException;
import io.watchgate.labels.LabelSelectorParser;
import io.watchgate.select.SelectionException.Reason;
import java.util.List;

/**
 * Fuzz test that any text is a label selector equal to its canonical text, or is refused with a
 * message, and that the parser shared with the informer accepts or refuses it likewise.
 */
final class LabelSelectorFuzzTest {
  private static final List<KubeObject> OBJECTS = new Recorded().objects("configmaps");

  @FuzzTest
  void aSelectorIsWhatItsCanonicalTextSaysOrIsRefused(byte[] utf8) throws SelectionException {
    String text = new String(utf8, UTF_8);
    LabelSelector selector;
    try {
      selector = LabelSelector.parse(text);
    } catch (SelectionException e) {
      RefusalCheck.check(e, text);
      assertThat(e.reason() == Reason.TOO_COMPLEX || !parserAccepts(text)).isTrue();
      return;
    }
    assertThat(parserAccepts(text)).isTrue();
    if (!RefusalCheck.isTooLong(selector.canonical())) {
      LabelSelector again = LabelSelector.parse(selector.canonical());
      assertThat(again).isEqualTo(selector);
      assertThat(again.requirements()).isEqualTo(selector.requirements());
      assertThat(again.canonical()).isEqualTo(selector.canonical());
      for (KubeObject object : OBJECTS) {
        assertThat(again.matches(object)).isEqualTo(selector.matches(object));
      }
    }
    if (!selector.requirements().isEmpty()) {
      twice(text, selector);
    }
  }

  private static boolean parserAccepts(String text) {
    LabelSelectorParser parser = new LabelSelectorParser(text);
    try {
      while (parser.next() != null) {
        // Accepts this requirement.
      }
      return true;
    } catch (LabelSelectorException e) {
      return false;
    }
  }

  /** Checks that a repeated selector has the same meaning. */
  private static void twice(String text, LabelSelector selector) throws SelectionException {
    try {
      assertThat(LabelSelector.parse(text + "," + text)).isEqualTo(selector);
    } catch (SelectionException e) {
      if (e.reason() != Reason.TOO_COMPLEX) {
        throw e;
      }
    }
  }
}
