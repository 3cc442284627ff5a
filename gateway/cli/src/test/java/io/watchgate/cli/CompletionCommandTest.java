package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Completions of real shells. */
@Timeout(300)
class CompletionCommandTest {
  @TempDir private Path directory;

  private String script(String shell) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Main.run(
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InstantSource.system(),
            "completion",
            shell);
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }

  /**
   * Runs a shell with a {@code watchgate} on its path that lists two types, two namespaces, and for
   * other types an object that is named by the remaining arguments.
   */
  private List<String> run(String shell, String program) throws IOException, InterruptedException {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(path -> Files.isExecutable(Path.of(path, shell))),
        shell + " is not installed");
    Path command = directory.resolve("watchgate");
    Files.writeString(
        command,
        """
        #!/bin/sh
        case "$1 $2" in
          'types -o') echo pods; echo leases ;;
          'list namespaces') echo shop; echo kube-system ;;
          'list roles') echo system:node ;;
          'context list') printf 'CURRENT  NAME   SERVER\n         prod   b:1,b:2\n*        local  a:1\n' ;;
          'list '*) type=$2; shift 4; echo "$type-$*" | tr ' ' '_' ;;
        esac
        """);
    assertThat(command.toFile().setExecutable(true)).isTrue();
    Files.writeString(directory.resolve("script"), script(shell));
    ProcessBuilder builder =
        new ProcessBuilder(shell, "-c", program)
            .directory(directory.toFile())
            .redirectErrorStream(true);
    builder.environment().merge("PATH", directory.toString(), (path, own) -> own + ":" + path);
    builder.environment().put("HOME", directory.toString());
    Process process = builder.start();
    try (var out = process.inputReader()) {
      List<String> lines = out.lines().toList();
      process.waitFor();
      return lines;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          w | watch
          watch p | pods
          watch -n shop l | leases
          watch -A --server localhost:7443 p | pods
          watch --output=yaml p | pods
          list p | pods
          watch -n sh | shop
          watch pods --namespace k | kube-system
          watch pods p | pods-
          watch pods -n shop p | pods--n_shop
          watch --server b:1 -n shop --bearer-token-file f --tls pods p | pods---server_b:1_--bearer-token-file_f_--tls_-n_shop
          watch pods/p | pods/pods-
          watch -n shop apps/v1/deployments/ | apps/v1/deployments/apps/v1/deployments--n_shop
          watch --ch | --changes-only
          watch pods -o y | yaml
          watch pods --output=y | yaml
          watch pods -o jsonp | jsonpath=
          list roles system:no | node
          watch --server=b:1 -n=shop pods p | pods---server=b:1_-n=shop
          watch pods --color al | always
          list --fi | --field-selector
          list --gateway-context l | local
          list pods --gateway-context=p | prod
          completion z | zsh
          completion --he | --help
          types -o na | name
          watch pods --save-token scr | script
          """)
  void bash_completesWord(String line, String completed) throws IOException, InterruptedException {
    String typed = "watchgate " + line;
    String words = typed.replace(":", " : ").replace("=", " = ").strip(); // as bash splits them
    int last = words.split(" +").length - 1;

    assertThat(
            run(
                "bash",
                ". ./script; COMP_LINE='%s'; COMP_WORDS=(%s); COMP_CWORD=%d; _watchgate; printf '%%s\\n' \"${COMPREPLY[@]}\""
                    .formatted(typed, words, last)))
        .containsExactly(completed);
  }

  @Test
  void bash_afterTwoDashes_completesNothing() throws IOException, InterruptedException {
    assertThat(
            run(
                "bash",
                ". ./script; COMP_LINE='watchgate watch pods -- l';"
                    + " COMP_WORDS=(watchgate watch pods -- l); COMP_CWORD=4; COMPREPLY=();"
                    + " _watchgate; echo ${#COMPREPLY[@]}"))
        .containsExactly("0");
  }

  @Test
  void zsh_loadsScript() throws IOException, InterruptedException {
    assertThat(
            run(
                "zsh",
                "autoload -U compinit && compinit -D; . ./script; echo"
                    + " ${_comps[watchgate]:+known}"))
        .containsExactly("known");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          watchgate wat | watch
          watchgate watch p | pods
          watchgate watch -n sh | shop
          watchgate watch --chan | --changes-only
          watchgate watch -o y | yaml
          watchgate completion z | zsh
          watchgate watch pods p | pods-
          watchgate watch -A --server localhost:7443 p | pods
          watchgate watch pods --namespace k | kube-system
          watchgate watch --server b:1 -n shop --bearer-token-file f --tls pods p | pods---server_b:1_--bearer-token-file_f_--tls_-n_shop
          watchgate watch --server=b:1 -n=shop pods p | pods---server=b:1_-n=shop
          watchgate watch pods/p | pods/pods-
          watchgate watch -n shop apps/v1/deployments/ | apps/v1/deployments/apps/v1/deployments--n_shop
          watchgate list roles sys | system:node
          watchgate list --gateway-context pr | prod
          """)
  void fish_completesWord(String line, String completed) throws IOException, InterruptedException {
    assertThat(run("fish", "source ./script; complete -C '" + line + "'"))
        .singleElement()
        .asString()
        .startsWith(completed);
  }

  @Test
  void script_containsEveryCommandAndOption() {
    for (String shell : List.of("bash", "zsh", "fish")) {
      assertThat(script(shell))
          .contains("serve", "watch", "list", "types", "completion", "help", "until", "listen")
          .doesNotContain("PROGRAM", "VALUED", "GATEWAY", "${DEFAULT");
    }
  }
}
