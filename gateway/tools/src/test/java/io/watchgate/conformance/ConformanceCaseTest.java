package io.watchgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.watchgate.proto.v1.ErrorReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConformanceCaseTest {
  private static final Path CASES = Path.of("../../conformance/cases");
  private static final Path CONTRACT =
      Path.of("../../proto/src/main/protobuf/watchgate/v1/watch.proto");

  /** Reason of ListObjects alone, which no case calls. */
  private static final String OF_LISTS = "PAGE_EXPIRED OUT_OF_RANGE RESTART";

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

  /** A new reason needs a case, with the code and the action that its comment names. */
  @Test
  void eachReasonOfTheContract_hasACase() throws Exception {
    String contract = Files.readString(CONTRACT);
    List<String> reasons =
        Pattern.compile("// ([A-Z_]+), ([A-Z]+)\\. .*?ERROR_REASON_(\\w+) = ", Pattern.DOTALL)
            .matcher(contract)
            .region(contract.indexOf("enum ErrorReason"), contract.length())
            .results()
            .map(found -> found.group(3) + " " + found.group(1) + " " + found.group(2))
            .toList();
    assertThat(reasons).hasSize(ErrorReason.values().length - 1); // without UNRECOGNIZED

    assertThat(ends())
        .containsAll(reasons.stream().filter(reason -> !reason.equals(OF_LISTS)).toList())
        .doesNotContain(OF_LISTS);
  }

  /** Returns the ends of all streams that have a reason: {@code BEHIND UNAVAILABLE RESUME}. */
  private static List<String> ends() {
    return ConformanceCase.all().stream()
        .flatMap(one -> one.streams().stream())
        .map(ScriptedStream::end)
        .filter(StreamEnd.Failed.class::isInstance)
        .map(end -> ((StreamEnd.Failed) end).error())
        .filter(error -> trailer(error, "reason").isPresent())
        .map(
            error ->
                "%s %s %s"
                    .formatted(
                        trailer(error, "reason").orElseThrow(),
                        error.getStatus().getCode(),
                        trailer(error, "action").orElseThrow()))
        .toList();
  }

  private static Optional<String> trailer(StatusRuntimeException error, String name) {
    Metadata.Key<String> key =
        Metadata.Key.of("watchgate-" + name, Metadata.ASCII_STRING_MARSHALLER);
    return Optional.ofNullable(error.getTrailers())
        .flatMap(trailers -> Optional.ofNullable(trailers.get(key)));
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
          {"streams": [{"address": "the same"}]}      | x, stream 1: "address" may be "another": the same
          {"gateways": "two"}                         | x: For input string: "two"
          {"error": ["STOP"]}                         | error is not an object: "STOP"
          {"exitCode": "one"}                         | x: For input string: "one"
          {"story": [{"repeatd": "SYNCED"}]}          | story has the unknown field "repeatd"
          """)
  void wrongFile_isRefusedWithReason(String json, String reason) {
    assertThatThrownBy(() -> ConformanceCase.parse("x", json))
        .isInstanceOf(CaseFormatException.class)
        .hasMessageContaining(reason);
  }
}
