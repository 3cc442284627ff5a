package io.watchgate.ops.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

/** Tests of the text form of pages. */
final class TextPageTest {
  private static String text(String json) {
    return TextPage.of(JsonParser.parseString(json).getAsJsonObject());
  }

  @Test
  void values_areAligned_objectsAreFlat() {
    assertThat(text("{'a':1,'longName':'x y','inner':{'b':true,'empty':''},'none':null}"))
        .isEqualTo("a:         1\nlongName:  x y\nb:         true\nempty:     -\nnone:      -\n");
  }

  @Test
  void array_isTable_withColumnsOfAllRows() {
    assertThat(
            text(
                "{'total':2,'rows':[{'sentBytes':5,'names':['a','b']},{'sentBytes':12345678,"
                    + "'names':[],'late':1}]}"))
        .isEqualTo(
            """
            total:  2

            SENT-BYTES  NAMES  LATE
            5           a,b    -
            12345678    -      1
            """);
    assertThat(text("{'rows':[]}")).isEqualTo("rows: none\n");
  }

  @Test
  void noNamespaces_areAll() {
    assertThat(text("{'rows':[{'namespaces':[],'labels':''}]}"))
        .isEqualTo("NAMESPACES  LABELS\n*           -\n");
  }

  @Test
  void arrayOfNames_isAValue() {
    assertThat(text("{'type':'pods','namespaces':['shop','bank'],'rows':[]}"))
        .isEqualTo("type:        pods\nnamespaces:  shop,bank\n\nrows: none\n");
    assertThat(text("{'type':'pods','namespaces':[]}"))
        .isEqualTo("type:        pods\nnamespaces:  *\n");
  }

  /** Names are text from clients: no line of their own, no control sequence of a terminal. */
  @Test
  void controlCharacters_areReplaced() {
    assertThat(text("{'rows':[{'client':'a\\u001b[2Jb\\nc\\u2028d\\u202e','n':1}]}"))
        .isEqualTo("CLIENT       N\na?[2Jb?c?d?  1\n");
  }
}
