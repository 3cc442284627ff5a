package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Start, saved position, condition and command of a watch, as complete command lines. */
@Tag("slow")
@Timeout(300)
class WatchOptionsTest {
  @TempDir private Path directory;

  private final ScriptedGateway gateway = new ScriptedGateway();

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static void play(
      StreamObserver<ListAndWatchResponse> stream, List<ListAndWatchResponse> responses) {
    responses.forEach(stream::onNext);
  }

  /** Two objects, three changes, the end. */
  private void threeChanges() {
    gateway.stream =
        stream -> {
          play(stream, ScriptedGateway.snapshot(10, "one", "two"));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_MODIFIED, "one", 11));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_ADDED, "three", 12));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_DELETED, "two", 13));
          stream.onError(ScriptedGateway.streamEnd());
        };
  }

  @Test
  void changesOnly_omitsSnapshot() {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--changes-only", "-o", "name")).isEqualTo(1);
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            setting.example.com/one
            setting.example.com/three
            setting.example.com/two
            """);
  }

  @Test
  void maxStaleness_isRequested() {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--max-staleness", "1m30s")).isEqualTo(1);
    assertThat(gateway.watches.getFirst().getDelivery().getMaxStaleness().getSeconds())
        .isEqualTo(90);
  }

  @Test
  void diff_changesOnly_comparesWithSnapshot() {
    threeChanges();
    gateway.run("watch", "settings", "--changes-only", "-o", "diff");

    assertThat(gateway.stdout())
        .isEqualTo(
            """
            ~ setting.example.com/one in ns at version 11
                ~ .v: 10 → 11
            + setting.example.com/three in ns at version 12
            - setting.example.com/two in ns at version 13
            """);
  }

  @Test
  void severalTypes_rowsOfEach_messagesNameType() throws Exception {
    gateway.streamsByResource.put(
        "services",
        stream -> {
          ListAndWatchResponse objects = ScriptedGateway.snapshot(7, "web").getLast();
          stream.onNext(ScriptedGateway.snapshot(7).getFirst());
          stream.onNext(
              objects.toBuilder()
                  .setEvents(0, ScriptedGateway.ofKind("Service", objects.getEvents(0)))
                  .build());
        });
    gateway.streamsByResource.put(
        "settings",
        stream -> {
          play(stream, ScriptedGateway.snapshot(10));
          stream.onError(ScriptedGateway.streamEnd());
        });
    String printed = "";
    // Either type may come first, and the end of one ends the command.
    while (!printed.contains("service/web")) {
      assertThat(gateway.run("watch", "services,settings", "-o", "name")).isEqualTo(1);
      printed = gateway.stdout();
    }
    assertThat(gateway.stderr())
        .contains(
            "watchgate: settings: nothing matches yet; waiting for changes, Ctrl-C ends\n",
            "watchgate: settings: TYPE_GONE: the piece is over");
  }

  @Test
  void live_drawsTable_messagesAfterwards() {
    gateway.terminals.add(Stdio.Stream.OUT);
    threeChanges();

    assertThat(gateway.run("watch", "settings", "-n", "ns", "--live")).isEqualTo(1);

    assertThat(gateway.stdout())
        .startsWith("\033[?1049h")
        .contains("settings -n ns, gateway " + gateway.address())
        .endsWith("\033[?25h\033[?1049l");
    assertThat(gateway.stderr()).startsWith("watchgate: TYPE_GONE: the piece is over");
  }

  @Test
  void live_dumbTerminal_errorNamesTerm() {
    gateway.terminals.add(Stdio.Stream.OUT);
    gateway.environment.put("TERM", "dumb");

    assertThat(gateway.run("watch", "settings", "--live")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("TERM=dumb").doesNotContain("stdout is not");
  }

  @Test
  void live_until_endsWithSuccess() {
    gateway.terminals.add(Stdio.Stream.OUT);
    gateway.environment.put("NO_COLOR", "1");
    gateway.stream =
        stream -> {
          play(stream, ScriptedGateway.snapshot(10, "one"));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_ADDED, "three", 12));
        };

    assertThat(gateway.run("watch", "settings", "--live", "--until", "{.v}=12")).isZero();

    assertThat(gateway.stderr())
        .isEqualTo("watchgate: --until {.v}=12 is met: setting/three in ns at version 12\n");
    assertThat(gateway.stdout()).doesNotContain("\033[1m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-o json", "--timestamps", "--from now", "--changes-only", "-o diff"})
  void live_otherOutput_isRefused(String option) {
    gateway.terminals.add(Stdio.Stream.OUT);
    List<String> line = new ArrayList<>(List.of("watch", "settings", "--live"));
    line.addAll(List.of(option.split(" ")));

    assertThat(gateway.run(line.toArray(String[]::new))).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--live");
    assertThat(gateway.stdout()).isEmpty();
  }

  @Test
  void terminal_printsSignsAndColors() {
    gateway.terminals.add(Stdio.Stream.OUT);
    threeChanges();
    gateway.run("watch", "settings", "-o", "name");
    assertThat(gateway.stdout())
        .isEqualTo(
            """
              setting.example.com/one
              setting.example.com/two
            \033[35m~ setting.example.com/one\033[0m
            \033[32m+ setting.example.com/three\033[0m
            \033[31m- setting.example.com/two\033[0m
            """);
  }

  @ParameterizedTest
  @CsvSource({
    "auto, '', '', false, plain",
    "auto, '', '', true, colored",
    "auto, 1, '', true, signed",
    "auto, '', dumb, true, signed",
    "never, '', '', true, signed",
    "NEVER, '', '', false, plain",
    "always, 1, dumb, false, colored"
  })
  void colorOption_setsStyle(
      String choice, String noColor, String term, boolean terminal, String look) {
    gateway.environment.putAll(Map.of("NO_COLOR", noColor, "TERM", term));
    if (terminal) {
      gateway.terminals.add(Stdio.Stream.OUT);
    }
    threeChanges();

    gateway.run("watch", "settings", "-o", "name", "--color", choice);

    assertThat(gateway.stdout().lines().skip(2).findFirst())
        .hasValue(
            switch (look) {
              case "plain" -> "setting.example.com/one";
              case "signed" -> "~ setting.example.com/one";
              default -> "\033[35m~ setting.example.com/one\033[0m";
            });
  }

  @Test
  void from_setsStart() {
    gateway.stream = stream -> stream.onError(ScriptedGateway.streamEnd());

    gateway.run("watch", "settings", "--from", "now");
    gateway.run("watch", "settings", "--from", "123456789012345678901234567890");

    assertThat(gateway.watches.getFirst().hasFromNow()).isTrue();
    assertThat(gateway.watches.getLast().getResourceVersion())
        .isEqualTo("123456789012345678901234567890");
  }

  @Test
  void saveToken_nextWatchResumes() throws IOException {
    Path file = directory.resolve("token");
    String[] line = {"watch", "settings", "--from", "@" + file, "--save-token", file.toString()};
    threeChanges();
    gateway.run(line);

    assertThat(gateway.stderr()).contains("there is no " + file + " yet, so the watch begins");
    assertThat(gateway.watches.getFirst().getStartCase())
        .isEqualTo(ListAndWatchRequest.StartCase.START_NOT_SET);
    assertThat(file)
        .hasContent("{\"watchgateToken\":1,\"resourceVersion\":\"13\",\"token\":\"dDEz\"}\n");

    gateway.stream =
        stream -> {
          stream.onNext(ScriptedGateway.resumed(13));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_MODIFIED, "one", 14));
          stream.onError(ScriptedGateway.streamEnd());
        };
    gateway.stdout();
    gateway.run(line);

    assertThat(gateway.watches.getLast().getResumeToken().toStringUtf8()).isEqualTo("t13");
    assertThat(gateway.stdout()).contains("one").doesNotContain("two");
    assertThat(file).content().contains("\"14\"");
    assertThat(directory).as("no temporary files").isDirectoryContaining(file::equals);
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | watchgateToken or token is missing
          {"watchgateToken":1 | it is no JSON
          [] | watchgateToken or token is missing
          {"watchgateToken":1} | watchgateToken or token is missing
          {"watchgateToken":2,"token":"dDEz"} | its format is 2, known is 1
          {"watchgateToken":1,"token":"d*"} | the token is not base64
          {"watchgateToken":1,"token":""} | the token is empty
          """)
  void from_damagedFile_isRefused(String content, String why) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), content);

    assertThat(gateway.run("watch", "settings", "--from", "@" + file)).isEqualTo(1);
    assertThat(gateway.stderr())
        .contains(file + " holds no token of --save-token: " + why + "; remove it to start over");
    assertThat(gateway.watches).isEmpty();
  }

  @Test
  void from_directory_isRefused() {
    assertThat(gateway.run("watch", "settings", "--from", "@" + directory)).isEqualTo(1);
    assertThat(gateway.stderr()).contains(directory + " is a directory; name the file");
  }

  @Test
  void from_binaryOrLargeFile_isRefused() throws IOException {
    Path file = Files.write(directory.resolve("token"), new byte[] {(byte) 0xff, 0, 1});
    assertThat(gateway.run("watch", "settings", "--from", "@" + file)).isEqualTo(1);
    assertThat(gateway.stderr()).contains("it is not text");

    Files.write(file, new byte[100_000]);
    assertThat(gateway.run("watch", "settings", "--from", "@" + file)).isEqualTo(1);
    assertThat(gateway.stderr()).contains("it is too long");
  }

  @Test
  void from_missingFile_isRefused() {
    Path file = directory.resolve("token");

    assertThat(
            gateway.run(
                "watch", "settings", "--from", "@" + file, "--save-token", directory + "/other"))
        .isEqualTo(1);
    assertThat(gateway.stderr()).contains("--from: there is no file " + file, "--save-token");
  }

  @Test
  void saveToken_unusablePath_isRefusedAtStart() {
    assertThat(gateway.run("watch", "settings", "--save-token", directory + "/none/token"))
        .isEqualTo(1);
    assertThat(gateway.stderr()).contains("--save-token: there is no directory " + directory);
    assertThat(gateway.run("watch", "settings", "--save-token", directory.toString())).isEqualTo(1);
    assertThat(gateway.stderr()).contains(directory + " is a directory");
    assertThat(gateway.watches).isEmpty();
  }

  @Test
  void from_tokenOfOtherSelection_isExplained() throws IOException {
    Path file =
        Files.writeString(directory.resolve("token"), "{\"watchgateToken\":1,\"token\":\"dDEz\"}");
    gateway.refusals.add(
        ScriptedGateway.refusal(
            Code.INVALID_ARGUMENT, "TOKEN_OTHER_SELECTION", "STOP", "resume_token", "another one"));

    assertThat(gateway.run("watch", "settings", "--from", "@" + file)).isEqualTo(1);
    assertThat(gateway.stderr())
        .startsWith("watchgate: TOKEN_OTHER_SELECTION: --from: another one\n  ")
        .contains("the same TYPE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          created | setting/one in ns at version 10
          deleted | setting/two in ns at version 13
          {.v}=11 | setting/one in ns at version 11
          {.v}>11 | setting/three in ns at version 12
          """)
  void until_met_endsWatch(String until, String by) {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--until", until, "--timeout", "1h")).isZero();
    assertThat(gateway.stderr()).isEqualTo("watchgate: --until " + until + " is met: " + by + "\n");
  }

  @Test
  void until_changesOnly_checksSnapshot() {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--changes-only", "--until", "created")).isZero();
    assertThat(gateway.stdout()).isEmpty();
  }

  @Test
  void untilDeleted_emptySnapshot_isMet() {
    gateway.stream = stream -> play(stream, ScriptedGateway.snapshot(10));

    assertThat(gateway.run("watch", "settings/web", "--until", "deleted")).isZero();
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: --until deleted is met: nothing matches at version 10\n");
  }

  @Test
  void timeout_exitsWith124() {
    gateway.stream = stream -> play(stream, ScriptedGateway.snapshot(10, "one"));

    assertThat(gateway.run("watch", "settings", "--until", "{.v}=99", "--timeout", "300ms"))
        .isEqualTo(124);
    assertThat(gateway.stderr()).endsWith("watchgate: --until {.v}=99 was not met within 300ms\n");
  }

  @Test
  void command_runsForEachEvent() throws IOException {
    threeChanges();
    Path file = directory.resolve("ran");
    String script =
        "echo $WATCHGATE_EVENT $WATCHGATE_NAMESPACE $WATCHGATE_NAME $WATCHGATE_UID"
            + " $WATCHGATE_RESOURCE_VERSION $(cat) >>"
            + file;

    assertThat(gateway.run("watch", "settings", "--", "sh", "-c", script)).isEqualTo(1);

    assertThat(Files.readAllLines(file))
        .hasSize(5)
        .startsWith(
            "ADDED ns one u-one 10"
                + " {\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"one\"},\"v\":10}")
        .anySatisfy(line -> assertThat(line).startsWith("DELETED ns two u-two 13 {"));
    assertThat(gateway.stdout()).isEmpty();
    assertThat(gateway.watches.getFirst().getProjection().getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_FULL);
  }

  @ParameterizedTest
  @CsvSource({
    "--view key, OBJECT_VIEW_KEY, ''",
    "--view Metadata, OBJECT_VIEW_METADATA, ''",
    "--view no-managed-fields, OBJECT_VIEW_NO_MANAGED_FIELDS, ''",
    "--include-pointer /a~1b --include-pointer /v, OBJECT_VIEW_UNSPECIFIED, /a~1b /v"
  })
  void command_viewOption_setsProjection(String options, ObjectView view, String pointers) {
    threeChanges();
    List<String> line = new ArrayList<>(List.of("watch", "settings"));
    line.addAll(List.of(options.split(" ")));
    line.addAll(List.of("--", "true"));

    gateway.run(line.toArray(String[]::new));

    Projection asked = gateway.watches.getFirst().getProjection();
    assertThat(asked.getView()).isEqualTo(view);
    assertThat(String.join(" ", asked.getIncludePointersList())).isEqualTo(pointers);
    assertThat(asked.getChangeEncoding()).isEqualTo(ChangeEncoding.CHANGE_ENCODING_UNSPECIFIED);
  }

  @Test
  void command_fails_eventIsNotSaved() {
    threeChanges();
    Path file = directory.resolve("token");

    assertThat(
            gateway.run(
                "watch",
                "settings",
                "--save-token",
                file.toString(),
                "--",
                "sh",
                "-c",
                "test $WATCHGATE_NAME != three"))
        .isEqualTo(123);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: sh ended with status 1, for ADDED setting.example.com/three at version 12;"
                + " the watch ends, and no token covers this event\n");
    assertThat(file).content().contains("\"resourceVersion\":\"11\"");
  }

  @Test
  void command_missing_isNamed() {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--", "no-such-command-here")).isEqualTo(123);
    assertThat(gateway.stderr())
        .contains("no-such-command-here cannot be started: No such file or directory, for ADDED ");
  }

  @Test
  void command_ignoringStdin_succeeds() {
    threeChanges();

    assertThat(gateway.run("watch", "settings", "--until", "{.v}=12", "--", "true")).isZero();
  }

  @Test
  void command_watchEnds_isEnded() {
    threeChanges();

    assertThat(
            gateway.run(
                "watch", "settings", "--until", "{.v}=99", "--timeout", "1s", "--", "sleep", "500"))
        .isEqualTo(124);
  }

  @Test
  void proxyError_beforeFirstStream_isRetried() {
    gateway.refusals.add(Status.UNIMPLEMENTED.asRuntimeException());
    gateway.stream =
        observer -> {
          ScriptedGateway.snapshot(1, "one").forEach(observer::onNext);
          observer.onError(ScriptedGateway.streamEnd());
        };

    assertThat(gateway.run("watch", "settings", "-o", "name")).isEqualTo(1);
    assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\n");
    assertThat(gateway.stderr())
        .contains("is not a Watchgate gateway, or a proxy answered", "the piece is over");
  }

  @Test
  void saveToken_unwritableFolder_errorHasReason() {
    gateway.stream = stream -> ScriptedGateway.snapshot(10, "one").forEach(stream::onNext);

    assertThat(gateway.run("watch", "settings", "--save-token", "/proc/pos")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: cannot save the token in /proc/pos: there is no such folder, or it takes no"
                + " files\n");
  }

  @Test
  void table_intoPipe_hasEventColumn_unlessTurnedOff() {
    threeChanges();
    gateway.run("watch", "settings", "-n", "ns");
    assertThat(gateway.stdout().lines().map(line -> line.replaceAll(" .*", "")))
        .containsExactly("EVENT", "ADDED", "ADDED", "MODIFIED", "ADDED", "DELETED");

    gateway.run("watch", "settings", "-n", "ns", "--output-watch-events=false");
    assertThat(gateway.stdout()).startsWith("NAME ");
  }

  @Test
  void table_onTerminal_hasSigns_eventColumnIfAsked() {
    threeChanges();
    gateway.terminals.add(Stdio.Stream.OUT);
    gateway.run("watch", "settings", "-n", "ns", "--color", "never");
    assertThat(gateway.stdout()).startsWith("  NAME ").contains("\n~ one");

    gateway.run("watch", "settings", "-n", "ns", "--color", "never", "--output-watch-events");
    assertThat(gateway.stdout()).startsWith("  EVENT ");
  }

  @Test
  void timestamps_areFirstColumn_forTablesOnly() {
    threeChanges();
    gateway.run("watch", "settings", "-n", "ns", "--timestamps", "--no-headers");
    assertThat(gateway.stdout()).startsWith("2026-01-01T00:10:00.000Z   ");

    assertThat(gateway.run("watch", "settings", "--timestamps", "-o", "json")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--timestamps is for tables");
  }

  @Test
  void untilAll_waitsForEveryObject() {
    gateway.stream =
        stream -> {
          play(stream, ScriptedGateway.snapshot(10, "one", "two"));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_MODIFIED, "one", 11));
          stream.onNext(ScriptedGateway.change(EventType.EVENT_TYPE_MODIFIED, "two", 12));
        };

    assertThat(gateway.run("watch", "settings", "--until-all", "{.v}>=11")).isZero();
    assertThat(gateway.stderr())
        .contains("--until-all {.v}>=11 is met: all 2 objects at version 12");
  }

  @Test
  void timeoutZero_nothingMatches_doesNotSayThatItWaits() {
    gateway.stream = stream -> play(stream, ScriptedGateway.snapshot(10));

    assertThat(gateway.run("watch", "settings", "--until-all", "created", "--timeout", "0"))
        .isEqualTo(124);
    assertThat(gateway.stderr())
        .isEqualTo(
            """
            watchgate: nothing matches
            watchgate: --until-all created is not met by the objects that exist
            """);
  }

  @Test
  void timeoutZero_looksAtTheStart_andEnds() {
    gateway.stream = stream -> play(stream, ScriptedGateway.snapshot(10, "one", "two"));

    assertThat(gateway.run("watch", "settings", "--until-all", "{.v}>=11", "--timeout", "0"))
        .isEqualTo(124);
    assertThat(gateway.stderr())
        .contains("--until-all {.v}>=11 is not met by the objects that exist");
    assertThat(gateway.run("watch", "settings", "--until-all", "{.v}>=10", "--timeout", "0"))
        .isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "--until created --until-all created, --until and --until-all exclude each other",
    "--until-all created --from now, --until-all has to see all objects",
    "--timeout 5s, give --until or --until-all as well",
  })
  void untilOptions_thatContradict_areRefused(String options, String message) {
    List<String> line = new ArrayList<>(List.of("watch", "settings"));
    line.addAll(List.of(options.split(" ")));
    assertThat(gateway.run(line.toArray(String[]::new))).isEqualTo(2);
    assertThat(gateway.stderr()).contains(message);
  }

  @Test
  void nothingMatches_namespaceIsMissing_saysSo() {
    gateway.stream = stream -> play(stream, ScriptedGateway.snapshot(10));
    gateway.pages.add(ListObjectsResponse.getDefaultInstance());

    gateway.run("watch", "settings", "-n", "shpo", "--until", "created", "--timeout", "0");
    assertThat(gateway.stderr())
        .contains("there is no namespace 'shpo'\n")
        .doesNotContain("waiting");
  }
}
