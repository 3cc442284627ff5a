package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Signals, exit codes and the end of commands, in processes of their own. */
@Tag("slow")
@Timeout(300)
class CommandProcessTest {
  @TempDir private Path directory;

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
  }

  private Process start(String... arguments) throws IOException, InterruptedException {
    return start(Map.of(), arguments);
  }

  private Process start(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        List.of(
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + directory,
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "io.watchgate.cli.Main"));
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(InterruptibleCommand.of(line));
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static void interrupt(Process process) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  @Test
  void serve_portTaken_exits1() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String free = "127.0.0.1:0";
      Process serve =
          start(
              "serve",
              "--sandbox",
              "--listen",
              "127.0.0.1:" + taken.getLocalPort(),
              "--http-listen",
              free,
              "--sandbox-listen",
              free);

      assertThat(serve.waitFor(3, TimeUnit.MINUTES)).isTrue();
      assertThat(serve.exitValue()).isEqualTo(1);
      assertThat(serve.errorReader().lines()).anyMatch(line -> line.contains("cannot listen on"));
    }
  }

  @Test
  void ctrlC_whileConnecting_exits130Silently() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Process watch = start("watch", "pods", "--server", "127.0.0.1:" + silent.getLocalPort());
      silent.accept(); // the watch is connecting, and receives no response
      interrupt(watch);

      assertThat(watch.waitFor(3, TimeUnit.MINUTES)).isTrue();
      assertThat(watch.exitValue()).isEqualTo(130);
      assertThat(watch.inputReader().readLine()).isNull();
      assertThat(watch.errorReader().readLine()).isNull();
    }
  }

  @Test
  void readerCloses_nextWrite_exitsSilently() throws Exception {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      CompletableFuture<StreamObserver<ListAndWatchResponse>> opened = new CompletableFuture<>();
      gateway.stream =
          stream -> {
            ScriptedGateway.snapshot(10, "one").forEach(stream::onNext);
            opened.complete(stream);
          };
      Process watch = start("watch", "settings", "-o", "name", "--server", gateway.address());
      assertThat(watch.inputReader().readLine()).isEqualTo("setting.example.com/one");
      watch.getInputStream().close();
      opened.join().onNext(ScriptedGateway.change(EventType.EVENT_TYPE_ADDED, "two", 11));

      assertThat(watch.waitFor(3, TimeUnit.MINUTES)).isTrue();
      assertThat(watch.exitValue()).isZero();
      assertThat(watch.errorReader().readLine()).isNull();
    }
  }

  @Test
  void ctrlC_commandRunning_endsCommand() throws Exception {
    Path pid = directory.resolve("pid");
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      gateway.stream = stream -> ScriptedGateway.snapshot(10, "one").forEach(stream::onNext);
      Process watch =
          start(
              "watch",
              "settings",
              "--save-token",
              directory.resolve("token").toString(),
              "--server",
              gateway.address(),
              "--",
              "sh",
              "-c",
              "echo $$ >" + pid + ".new; mv " + pid + ".new " + pid + "; sleep 1000");
      await().until(() -> Files.exists(pid));
      ProcessHandle command =
          ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
      interrupt(watch);

      assertThat(watch.waitFor(3, TimeUnit.MINUTES)).isTrue();
      assertThat(watch.exitValue()).isEqualTo(130);
      await().until(() -> !command.isAlive());
      assertThat(watch.errorReader().readLine()).isNull();
      assertThat(directory.resolve("token")).doesNotExist();
    }
  }

  @Test
  void compare_ended_endsItsServersAndDeletesItsFolder() throws Exception {
    Process compare = start("compare", "paced");
    await().until(() -> compare.descendants().findAny().isPresent()); // its apiserver
    List<ProcessHandle> servers = compare.descendants().toList();
    assertThat(folders()).hasSize(1);
    compare.toHandle().destroy();

    assertThat(compare.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(compare.exitValue()).isEqualTo(143);
    assertThat(servers).noneMatch(ProcessHandle::isAlive);
    assertThat(folders()).isEmpty();
    assertThat(compare.errorReader().readLine()).isNull();
  }

  private List<Path> folders() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().contains("watchgate-compare")).toList();
    }
  }

  @Test
  void check_noApiserverIsNamed_errorNamesBothOptions() throws Exception {
    Path none = directory.resolve("none");
    Process check = start(Map.of("KUBECONFIG", none.toString()), "check", "--duration", "1s");

    assertThat(check.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(check.exitValue()).isEqualTo(1);
    assertThat(check.errorReader().readLine())
        .contains(none.toString(), "--kubeconfig", "--apiserver http://HOST:PORT");
  }
}
