package io.watchgate.cli;

import io.watchgate.server.GatewaySettings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Help of {@code watchgate try}. The command itself is a script in a clone, which the launcher
 * runs.
 */
@Command(
    name = "try",
    customSynopsis = "watchgate try [OPTION...]",
    description = {
      "Starts a real kube-apiserver with pods that change, a gateway in front of it, and watches"
          + " the pods. Ctrl-C ends all of it.",
      "Runs in a clone of the repository and needs Go 1.26 or later, with which the apiserver is"
          + " built: some minutes the first time."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the reader of stdout closed the pipe, as head does",
      "1:Go is missing, or something could not be built or started; stderr says why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class TryCommand implements Callable<Integer> {
  private final Stdio stdio;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description =
          "Address at which the gateway serves gRPC. Default: "
              + GatewaySettings.DEFAULT_LISTEN
              + ".")
  private String listen = "";

  @Option(
      names = "--http-listen",
      paramLabel = "HOST:PORT",
      description =
          "Address at which it serves probes and metrics. Default: "
              + GatewaySettings.DEFAULT_HTTP_LISTEN
              + ".")
  private String httpListen = "";

  TryCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() {
    String options =
        (listen.isEmpty() ? "" : " --listen " + listen)
            + (httpListen.isEmpty() ? "" : " --http-listen " + httpListen);
    stdio
        .err()
        .println(
            "watchgate: 'try' needs a clone of the repository: run ./watchgate try"
                + options
                + " there");
    return ExitCodes.FAILED;
  }
}
