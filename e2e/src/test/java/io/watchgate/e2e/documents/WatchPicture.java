package io.watchgate.e2e.documents;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Picture of a watch that continues after its gateway was replaced, from the real output. Ages,
 * times and ports are replaced by fixed ones, so that the picture changes only with the program.
 */
record WatchPicture(ReaderEnvironment world) {
  private static final String COMMAND = "./watchgate watch pods -n shop";
  private static final String KUBECTL = "exec kubectl --server http://127.0.0.1:8080 ";

  TerminalPicture take() throws IOException {
    try (Terminal sandbox = world.open("exec ./watchgate sandbox --write-kubeconfig sandbox.kc")) {
      sandbox.awaitOutput("sandbox.kc|127\\.0\\.0\\.1");
      kubectl("create namespace shop", "created");
      Terminal gateway = gateway();
      kubectl("-n shop run web-1 --image=web:1", "created");
      run("web-1");
      try (Terminal watch = world.open("exec " + COMMAND + " --color always")) {
        watch.awaitOutput("web-1.*Running");
        kubectl("-n shop run web-2 --image=web:1", "created");
        watch.awaitOutput("web-2");
        gateway.close();
        watch.awaitOutput("trying until it works");
        run("web-2");
        try (Terminal replacement = gateway()) {
          replacement.awaitOutput("serving gRPC on");
          watch.awaitOutput("web-2.*Running");
          kubectl("-n shop delete pod web-1 --wait=false", "deleted");
          watch.awaitOutput("- web-1");
          return new TerminalPicture(lines(watch.output()));
        }
      } finally {
        gateway.close();
      }
    }
  }

  private Terminal gateway() throws IOException {
    Terminal gateway = world.open("exec ./watchgate serve --kubeconfig sandbox.kc");
    gateway.awaitOutput("serving gRPC on");
    return gateway;
  }

  private void kubectl(String arguments, String pattern) throws IOException {
    try (Terminal terminal = world.open(KUBECTL + arguments)) {
      terminal.awaitOutput(pattern);
    }
  }

  /** Sets the status of a pod as a kubelet does once its container runs. */
  private void run(String pod) throws IOException {
    String status =
        """
        {"status":{"phase":"Running","containerStatuses":[
          {"name":"%s","ready":true,"restartCount":0,"state":{"running":{}}}]}}\
        """
            .formatted(pod)
            .replace("\n", "");
    kubectl(
        "-n shop patch pod " + pod + " --subresource=status --type=merge -p '" + status + "'",
        "patched");
  }

  private static List<String> lines(String output) {
    String fixed =
        output
            .replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:7443")
            .replaceAll("after [\\d.]+ s, \\d+ attempts", "after 1.8 s, 4 attempts")
            .replaceAll("after version \\d+", "after version 9")
            .replaceAll("(?m)\\d+s(?=\\033|$)", "5s");
    return Stream.concat(Stream.of("$ " + COMMAND), fixed.lines()).toList();
  }
}
