package io.watchgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConformanceCaseTest {
  private static final Path CASES = Path.of("../../conformance/cases");

  @Test
  void index_namesEachFile() throws Exception {
    try (Stream<Path> files = Files.list(CASES)) {
      assertThat(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.equals("index")))
          .containsExactlyInAnyOrderElementsOf(
              Files.readAllLines(CASES.resolve("index")).stream()
                  .map(name -> name + ".json")
                  .toList());
    }
  }

  @Test
  void each_saysWhatItTests() {
    assertThat(ConformanceCase.all())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            one -> {
              assertThat(one.about()).as(one.name()).endsWith(".");
              assertThat(one.streams()).as(one.name()).isNotEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {                                           | x: java.io.EOFException
          []                                          | x is not an object: []
          {"storie": []}                              | x has the unknown field "storie"; it may have about,
          {"story": "SYNCED"}                         | x: "story" is not an array
          {"about": 1}                                | x: "about" is not a text: 1
          {"streams": [{"send": [{"openend": {}}]}]}  | x, stream 1: Cannot find field: openend
          {"streams": [{"end": {"code": "NO_CODE"}}]} | "NO_CODE" is no code of gRPC
          {"streams": [{}, {"minWait": "soon"}]}      | x, stream 2: "minWait" is no duration such as 1.5s: soon
          {"streams": [{"send": [{"wire": "?a=="}]}]} | x, stream 1: Illegal base64 character
          {"exitCode": "one"}                         | x: For input string: "one"
          {"story": [{"repeatd": "SYNCED"}]}          | story has the unknown field "repeatd"
          """)
  void wrongFile_isRefusedWithReason(String json, String reason) {
    assertThatThrownBy(() -> ConformanceCase.parse("x", json))
        .isInstanceOf(CaseFormatException.class)
        .hasMessageContaining(reason);
  }
}
