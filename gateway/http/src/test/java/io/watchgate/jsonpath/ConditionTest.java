package io.watchgate.jsonpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the objects that meet a condition. */
class ConditionTest {
  private static final JsonElement OBJECT =
      JsonParser.parseString(
          """
          {"metadata": {"generation": 3},
           "spec": {"ports": [80, 443]},
           "status": {"phase": "Running", "ready": 10, "text": "10", "sign": ">2",
                      "conditions": [{"type": "Ready", "status": "True"},
                                     {"type": "Old", "status": "True", "observedGeneration": 2},
                                     {"type": "New", "status": "False", "observedGeneration": 3}]}}
          """);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          condition=Ready | true
          condition=ready=true | true
          condition=Ready=False | false
          condition=New=False | true
          condition=New | false
          condition=Old | false
          condition=Unheard | false
          {.status.phase} | true
          {.status.nothing} | false
          {.status.phase}=Running | true
          {.status.phase}==Running | true
          {.status.phase}="Running" | true
          jsonpath={.status.phase}=Running | true
          {.status.phase}=Runn | false
          {.status.phase}!=Running | false
          {.status.phase}!=Pending | true
          {.status.nothing}!=Pending | false
          {.status.ready}=10 | true
          {.status.ready}>9 | true
          {.status.ready}>10 | false
          {.status.ready}>=10 | true
          {.status.ready}<=9.5 | false
          {.status.ready}<11 | true
          {.status.text}>9 | false
          {.status.sign}=">2" | true
          {.status.sign}!='=>' | true
          {.spec.ports[*]}=443 | true
          {.spec.ports[*]}!=443 | false
          {.spec.ports[*]}>100 | true
          """)
  void condition_isCheckedOnTheObject(String text, boolean met) throws JsonPathException {
    assertThat(Condition.parse(text))
        .isInstanceOfSatisfying(
            Condition.OfObject.class,
            condition -> assertThat(condition.isMetBy(OBJECT)).isEqualTo(met));
  }

  @Test
  void conditionWithoutGeneration_usesTheStatusGeneration() throws JsonPathException {
    Condition.OfObject ready = (Condition.OfObject) Condition.parse("condition=Ready");
    String object =
        """
        {"metadata": {"generation": 2},
         "status": {"observedGeneration": %d, "conditions": [{"type": "Ready", "status": "True"}]}}
        """;

    assertThat(ready.isMetBy(JsonParser.parseString(object.formatted(1)))).isFalse();
    assertThat(ready.isMetBy(JsonParser.parseString(object.formatted(2)))).isTrue();
  }

  @Test
  void createdAndDeleted_areParsed() throws JsonPathException {
    assertThat(Condition.parse("created")).isEqualTo(new Condition.Created());
    assertThat(Condition.parse("deleted")).isEqualTo(new Condition.Deleted());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | 1 | expected created
          Deleted | 1 | expected created
          condition= | 11 | type
          condition==True | 11 | type
          condition=Ready= | 17 | status
          jsonpath=.a | 10 | '{'
          {.a} =b | 5 | expected =
          {.a}~b | 5 | expected =
          {.a}>b | 6 | a number
          {.a}>= | 7 | a number
          {.a}="b"c | 9 | nothing after
          {.a}="b | 6 | never closed
          {.a}=>2 | 5 | there is no operator =>; >= may be meant. A text that begins with > is written in quotation marks
          {.a}=<2 | 5 | no operator =<; <= may be meant
          {.a}==>2 | 5 | no operator ==>; >= may be meant
          {.a}===b | 5 | no operator ===; = may be meant
          {.a}=!b | 5 | no operator =!; != may be meant
          {.a}!==b | 5 | no operator !==; != may be meant
          {.a}<>b | 5 | no operator <>; != may be meant
          {.a}>>2 | 5 | no operator >>; > may be meant
          {.a}<<2 | 5 | no operator <<; < may be meant
          """)
  void invalidCondition_isRefusedWithColumn(String text, int column, String message) {
    JsonPathException refused =
        catchThrowableOfType(JsonPathException.class, () -> Condition.parse(text));

    assertThat(refused).as(text).isNotNull();
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.column()).isEqualTo(column);
  }
}
