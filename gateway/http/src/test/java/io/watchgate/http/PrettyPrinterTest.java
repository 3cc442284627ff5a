package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PrettyPrinterTest {
  /** The right side is the result of Go's {@code json.Indent}, with line feeds as {@code |}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {}                        ~ {}
          []                        ~ []
          1                         ~ 1
          {"a":1}                   ~ {|  "a": 1|}
          {"a":[],"b":{}}           ~ {|  "a": [],|  "b": {}|}
          {"a":[1,"x",null]}        ~ {|  "a": [|    1,|    "x",|    null|  ]|}
          {"a":{"b":[{}]}}          ~ {|  "a": {|    "b": [|      {}|    ]|  }|}
          [[[]],{}]                 ~ [|  [|    []|  ],|  {}|]
          { "a" : 1 , "b" : [ ] }   ~ {|  "a": 1,|  "b": []|}
          {"a,{}[]:":"b,{} \\"[\\\\"}  ~ {|  "a,{}[]:": "b,{} \\"[\\\\"|}
          {"ü":"\\u003c"}            ~ {|  "ü": "\\u003c"|}
          """)
  void json_isIndentedLikeGo(String json, String lines) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    ByteBuilder whole = new ByteBuilder(1);
    new PrettyPrinter().print(bytes, 0, bytes.length, whole);
    assertThat(text(whole)).isEqualTo(lines.replace('|', '\n'));
    ByteBuilder pieces = new ByteBuilder(1);
    PrettyPrinter printer = new PrettyPrinter();
    for (int i = 0; i < bytes.length; i++) {
      printer.print(bytes, i, i + 1, pieces);
    }
    assertThat(text(pieces)).isEqualTo(text(whole));
  }

  private static String text(ByteBuilder bytes) {
    return new String(bytes.toArray(), StandardCharsets.UTF_8);
  }
}
