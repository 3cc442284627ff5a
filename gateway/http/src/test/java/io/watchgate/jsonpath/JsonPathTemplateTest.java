package io.watchgate.jsonpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of templates and their paths, and of the columns of syntax errors. */
class JsonPathTemplateTest {
  private static final JsonElement POD =
      JsonParser.parseString(
          """
          {"metadata": {"name": "web", "labels": {"app.kubernetes.io/name": "shop", "it's": "so"}},
           "spec": {"containers": [{"name": "a", "image": "x:1", "ports": [80, 443]},
                                   {"name": "b", "image": "y:2", "tty": true}]},
           "status": {"phase": "Running", "big": 9007199254740993,
                      "conditions": [{"type": "Ready", "status": "True"},
                                     {"type": "Initialized", "status": "False"}]}}
          """);

  @Test
  void range_isRefusedWithTemplatesThatWork() throws JsonPathException {
    JsonPathException refused =
        catchThrowableOfType(
            JsonPathException.class,
            () -> JsonPathTemplate.parse("{range .items[*]}{.metadata.name}{end}"));

    List<String> advice =
        Pattern.compile("\\{[^}]*}")
            .matcher(refused.getMessage())
            .results()
            .map(MatchResult::group)
            .toList();
    assertThat(advice).containsExactly("{.metadata.name}", "{.spec.containers[*].name}");
    for (String template : advice) {
      assertThat(JsonPathTemplate.parse(template).beginsWith("items")).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {.metadata.name} | web
          .metadata.name | web
          {$.metadata.name} | web
          {@.metadata.name} | web
          { .metadata.name } | web
          {.metadata.name} is {.status.phase}! | web is Running!
          {.metadata.name}{": "}{'it''s'}{"\\t\\"q\\""} | web: it's\t"q"
          {.status.big} | 9007199254740993
          {.spec.containers[*].image} | x:1 y:2
          {.spec.containers[0].image} | x:1
          {.spec.containers[-1].image} | y:2
          {.spec.containers[2].image} | ``
          {.spec.containers[0].ports} | [80,443]
          {.spec.containers[0].ports.*} | 80 443
          {.metadata.labels.app\\.kubernetes\\.io/name} | shop
          {.metadata.labels['app.kubernetes.io/name']} | shop
          {.metadata.labels["it's"]} | so
          {.metadata.labels['it\\'s']} | so
          {.status.conditions[?(@.type=="Ready")].status} | True
          {.status.conditions[?(@.type != 'Ready')].type} | Initialized
          {.spec.containers[?(@.tty)].name} | b
          {.spec.containers[?(@.tty==true)].name} | b
          {.spec.containers[?(@.tty==false)].name} | ``
          {.spec.containers[?(@.ports[0]==80)].name} | a
          {.spec.containers[?(@.ports[*]==443.0)].name} | a
          {.nowhere.at.all} | ``
          {.metadata.name.further[0]} | ``
          """)
  void template_insertsTheValuesOfItsPaths(String template, String text) throws JsonPathException {
    assertThat(JsonPathTemplate.parse(template.replace("it''s", "it\\'s")).apply(POD))
        .isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | 1 | expected a path in braces
          name | 1 | expected a path in braces
          {.a | 4 | expected '}'
          {.a}} | 5 | never opened
          {} | 2 | expected a path
          {name} | 2 | expected a path
          {.} | 3 | expected a name
          {..name} | 3 | '..'
          {.a..b} | 5 | '..'
          {.a[0:2]} | 6 | a slice
          {.a[0,1]} | 6 | a union
          {.a[]} | 5 | expected an index
          {.a[x]} | 5 | expected an index
          {.a[99999999999]} | 5 | expected an index
          {.a[0} | 6 | expected ']'
          {.a['b} | 5 | never closed
          {.a['\\b']} | 7 | is allowed only before
          {.a[?(.b=="c")]} | 7 | begins with '@'
          {.a[?(@.b>1)]} | 10 | == or !=
          {.a[?(@.b==c)]} | 12 | expected a text in quotation marks
          {.a[?(@.b=="c"]} | 15 | expected ')'
          {"text} | 2 | never closed
          {range .items[*]} | 2 | range and end
          {end} | 2 | range and end
          {.a b} | 5 | expected '}'
          {.a,b} | 4 | expected '}'
          {.a\\ | 5 | expected a character
          .a b | 3 | put paths in braces
          """)
  void invalidTemplate_isRefusedWithColumn(String template, int column, String message) {
    JsonPathException refused =
        catchThrowableOfType(JsonPathException.class, () -> JsonPathTemplate.parse(template));

    assertThat(refused).as(template).isNotNull();
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.column()).isEqualTo(column);
  }
}
