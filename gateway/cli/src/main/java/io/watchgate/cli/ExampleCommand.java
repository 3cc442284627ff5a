package io.watchgate.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Help of {@code watchgate example}. The examples are sources in a clone, which the launcher runs.
 */
@Command(
    name = "example",
    customSynopsis = "watchgate example [NAME [ARGUMENT...]]",
    description = {
      "Runs a program that shows how the Java client is used, from its source in the folder"
          + " examples. Without NAME: lists them.",
      "Runs in a clone of the repository. The programs ask a gateway at 127.0.0.1:7443, such as"
          + " that of 'watchgate demo'; --server HOST:PORT names another one, and --apiserver URL"
          + " the apiserver."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the examples were listed; with NAME: the program ended without an error",
      "1:this is not a clone, or the program failed; stderr says why",
      "2:there is no example NAME",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class ExampleCommand implements Callable<Integer> {
  private final Stdio stdio;

  @Parameters(paramLabel = "NAME", description = "An example, and what it is given.")
  private List<String> words = List.of();

  ExampleCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() {
    String line = String.join(" ", words);
    stdio
        .err()
        .println(
            "watchgate: 'example' needs a clone of the repository: run ./watchgate example"
                + (line.isEmpty() ? "" : " " + line)
                + " there");
    return ExitCodes.FAILED;
  }
}
