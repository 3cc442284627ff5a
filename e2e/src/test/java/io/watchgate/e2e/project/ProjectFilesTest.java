package io.watchgate.e2e.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Test of the files about the project, by the tools that read them, without a network. */
final class ProjectFilesTest {
  private static final Path ROOT = Repository.root();
  private static final String CONTRACT = "proto/src/main/protobuf/watchgate/v1/watch.proto";

  @TempDir private Path folder;

  private static Program tool(String name, String... arguments) throws Exception {
    Path python =
        Path.of(
            PythonEnvironment.with(ROOT.resolve("e2e/project/requirements.txt"))
                .command()
                .getFirst());
    return Program.of(python.resolveSibling(name).toString()).and(arguments).in(ROOT);
  }

  private static String[] files(String in) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(in))) {
      String[] found = files.map(Path::toString).toArray(String[]::new);
      assertThat(found).isNotEmpty();
      return found;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "github-workflows, .github/workflows",
    "github-issue-forms, .github/ISSUE_TEMPLATE",
    "renovate, renovate.json"
  })
  @Requires(RequiredTool.PYTHON)
  void file_hasItsSchema(String schema, String in) throws Exception {
    String[] files = Files.isDirectory(ROOT.resolve(in)) ? files(in) : new String[] {in};
    tool("check-jsonschema", "--builtin-schema", "vendor." + schema).and(files).run();
  }

  @Test
  @Requires(RequiredTool.PYTHON)
  void workflows_haveNoKnownWeakness() throws Exception {
    assertThat(tool("zizmor", "--offline", "--no-progress", ".github").run())
        .contains("No findings");
  }

  @Test
  @Requires(RequiredTool.GO)
  void workflows_areValid() throws Exception {
    GoProgram.build(ROOT.resolve("e2e/tools"), "github.com/rhysd/actionlint/cmd/actionlint")
        .and(files(".github/workflows"))
        .in(ROOT)
        .run();
  }

  /** A job without a limit would run for six hours, and rights that it needs not are a risk. */
  @Test
  void workflow_hasLimits() throws IOException {
    for (String file : files(".github/workflows")) {
      assertThat(Path.of(file))
          .content()
          .contains("\npermissions: {}\n", "    timeout-minutes: ", "    permissions:\n");
    }
  }

  @Test
  @Requires(RequiredTool.PYTHON)
  void contract_keepsTheRules_andBreaksNoClient() throws Exception {
    tool("buf", "lint").run();
    tool("buf", "breaking", "--against", "proto/baseline").run();
  }

  @Test
  @Requires(RequiredTool.PYTHON)
  void removedFieldOfTheContract_isFound() throws Exception {
    Path changed =
        Files.createDirectories(folder.resolve(CONTRACT.replaceFirst("/[^/]*$", "")))
            .resolve("watch.proto");
    String text = Files.readString(ROOT.resolve(CONTRACT));
    String without = text.replaceFirst("(?m)^ *bytes resume_token = \\d+;.*$", "");
    assertThat(without).isNotEqualTo(text);
    Files.writeString(changed, without);
    Files.copy(ROOT.resolve("buf.yaml"), folder.resolve("buf.yaml"));
    Program breaking =
        tool("buf", "breaking", "--against", ROOT.resolve("proto/baseline").toString()).in(folder);
    assertThatThrownBy(breaking::run).hasMessageContaining("resume_token");
  }

  /** Headings as in Keep a Changelog, newest first; links are checked with those of all pages. */
  @Test
  void changelog_hasItsForm() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("CHANGELOG.md"));
    assertThat(lines.getFirst()).isEqualTo("# Changelog");
    List<String> versions = lines.stream().filter(line -> line.startsWith("## ")).toList();
    assertThat(versions).first().isEqualTo("## [Unreleased]");
    List<String> released = versions.stream().skip(1).toList();
    assertThat(released)
        .allMatch(line -> line.matches("## \\[\\d+\\.\\d+\\.\\d+] - \\d{4}-\\d\\d-\\d\\d"));
    assertThat(released.stream().map(line -> line.replaceFirst(".* - ", "")).toList())
        .isSortedAccordingTo((a, b) -> b.compareTo(a));
    assertThat(lines.stream().filter(line -> line.startsWith("### ")))
        .isNotEmpty()
        .allMatch(line -> line.matches("### (Added|Changed|Deprecated|Removed|Fixed|Security)"));
  }
}
