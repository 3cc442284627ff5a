package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Unit tests of label selectors. A test of the gateway compares them with the gateway's selectors.
 */
final class LabelSelectorTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          ``                     | ``                | true
          ``                     | app=web           | true
          app=web                | app=web,tier=a    | true
          app=web                | app=api           | false
          app=web                | ``                | false
          app==web               | app=web           | true
          app=                   | app=              | true
          app=                   | ``                | false
          app!=web               | app=api           | true
          app!=web               | ``                | true
          app!=web               | app=web           | false
          app in (web, api)      | app=api           | true
          app in (web,api)       | app=db            | false
          app in (web,api)       | ``                | false
          app in (,web)          | app=              | true
          app notin (web,api)    | app=db            | true
          app notin (web,api)    | ``                | true
          app notin (web,api)    | app=web           | false
          app                    | app=              | true
          app                    | ``                | false
          !app                   | ``                | true
          ! app                  | app=web           | false
          size>7                 | size=8            | true
          size>7                 | size=7            | false
          size<7                 | size=6            | true
          size<7                 | size=x            | false
          size<7                 | ``                | false
          size>7                 | size=99999999999999999999 | false
          app=web,!canary        | app=web           | true
          app=web,!canary        | app=web,canary=   | false
          example.com/a = b      | example.com/a=b   | true
          in in (in)             | in=in             | true
          """)
  void itMatchesAsInKubernetes(String text, String labels, boolean expected) {
    assertThat(LabelSelector.parse(text).matches(map(labels))).isEqualTo(expected);
  }

  private static Map<String, String> map(String labels) {
    Map<String, String> map = new LinkedHashMap<>();
    for (String label : labels.isEmpty() ? new String[0] : labels.split(",", -1)) {
      String[] both = label.split("=", -1);
      map.put(both[0], both[1]);
    }
    return map;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          a=1,            | 5  | expected a key or '!', found the end
          a=1,,b          | 5  | expected a key or '!', found ','
          n>=5            | 3  | expected a value, found '='
          a=1=2           | 4  | expected ',' or the end, found '='
          !!a             | 2  | expected a key, found '!'
          a b             | 3  | expected =, ==, !=, in, notin, < or >, found 'b'
          a in 1          | 6  | expected '(', found '1'
          a in (1         | 8  | expected ',' or ')', found the end
          a in (1 2)      | 9  | expected ',' or ')', found '2'
          a in (1,=)      | 9  | expected a value, ',' or ')', found '='
          a>x             | 3  | 'x' is no whole number to compare with
          ok,-a           | 4  | '-a' is no key of a label
          ok,a=-1         | 6  | '-1' is no value of a label
          /a              | 1  | '/a' is no key of a label
          A.b/a           | 1  | 'A.b/a' is no key of a label
          a=😀,b          | 3  | '😀' is no value of a label
          a in (😀,(      | 9  | expected a value, ',' or ')', found '('
          """)
  void invalidSelector_errorNamesItsColumn(String text, int column, String why) {
    assertThatThrownBy(() -> LabelSelector.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("label selector, column " + column + ": " + why)
        .hasMessageEndingWith("; it is: " + text);
  }

  @Test
  void names_haveKubernetesLengthLimits() {
    String name = "n".repeat(63);
    String prefix = "p".repeat(253);

    assertThat(LabelSelector.parse(prefix + "/" + name + "=" + name)).isNotNull();
    for (String longer : List.of("n" + name, "p" + prefix + "/n", "n=n" + name)) {
      assertThatThrownBy(() -> LabelSelector.parse(longer))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void toString_returnsItsText() {
    assertThat(LabelSelector.parse(" a in(b) ")).hasToString(" a in(b) ");
  }

  @Test
  void snapshot_listsMatchingObjects() {
    Snapshot<ByteString> snapshot =
        Snapshot.<ByteString>empty(List.of())
            .with(pod("a", "{\"app\":\"web\"}"))
            .with(pod("b", "{\"app\":\"api\"}"))
            .with(pod("c", "{\"app\":\"web\",\"canary\":\"\"}"));

    assertThat(snapshot.list(LabelSelector.parse("app=web,!canary"), Labels::ofJson))
        .extracting(pod -> pod.key().name())
        .containsExactly("a");
    assertThat(snapshot.list(LabelSelector.parse(""), Labels::ofJson)).hasSize(3);
  }

  private static StoredObject<ByteString> pod(String name, String labels) {
    ByteString json = ByteString.copyFromUtf8("{\"metadata\":{\"labels\":" + labels + "}}");
    return new StoredObject<>(new NamespacedName("shop", name), "uid-" + name, "1", json, null, 0);
  }
}
