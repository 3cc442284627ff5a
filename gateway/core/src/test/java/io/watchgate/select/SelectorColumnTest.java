package io.watchgate.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.select.SelectionException.Reason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the columns of errors. Their texts are tested with the recording. */
class SelectorColumnTest {
  private static final SelectableFields CONFIGMAPS = new Recorded().type("configmaps");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          a=1,            | 5
          a=1,,b          | 5
          n>=5            | 3
          a=1=2           | 4
          !!a             | 2
          a b             | 3
          a in 1          | 6
          a in (1         | 8
          a in (1 2)      | 9
          a in (1,=)      | 9
          a>x             | 3
          `a > `          | 5
          ok,-a           | 4
          ok,a=-1         | 6
          a in (ok,-,_)   | 10
          a in (z,-z,-a)  | 12
          ok,!é=1         | 5
          é               | 1
          a=😀,b          | 3
          a=1,😀x,b       | 5
          a in (😀,(      | 9
          )               | 1
          """)
  void labelSelectorErrors_haveColumns(String text, int column) {
    assertError(
        () -> LabelSelector.parse(text),
        Reason.SELECTOR_INVALID,
        "selection.label_selector",
        column);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          metadata.name                 | 1
          metadata.name=a,x             | 17
          metadata.name=a=b             | 16
          metadata.name=a\\,=,x=1       | 18
          metadata.name=\\x             | 15
          metadata.name=a\\             | 16
          metadata.name=😀\\é           | 16
          metadata.name=\\,,metadata.name=\\q | 32
          """)
  void fieldSelectorErrors_haveColumns(String text, int column) {
    assertError(
        () -> FieldSelector.parse(text, CONFIGMAPS),
        Reason.SELECTOR_INVALID,
        "selection.field_selector",
        column);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          spec.nodeName=x                 | 1
          metadata.name=😀,spec.x=1       | 17
          zz=1,aa=2                       | 6
          ` metadata.name=x`              | 1
          """)
  void unsupportedFieldErrors_haveColumns(String text, int column) {
    assertError(
        () -> FieldSelector.parse(text, CONFIGMAPS),
        Reason.FIELD_NOT_SELECTABLE,
        "selection.field_selector",
        column);
  }

  private static void assertError(ThrowingCallable parse, Reason reason, String field, int column) {
    assertThatThrownBy(parse)
        .isInstanceOfSatisfying(
            SelectionException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.column()).as(e.getMessage()).isEqualTo(column);
            });
  }
}
