package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of a package in an interpreted language, installed as a user has it: its examples run, and
 * watches that end at any moment leave nothing.
 */
@WithApiserver
interface InstalledPackageCases {
  /** Enough to see what each leaves; the thorough form finds what one of a thousand leaves. */
  int ENDINGS = 60;

  /** Folder with README.md and examples. */
  Path sources();

  /** Ending of the names of programs, with its dot. */
  String suffix();

  /** Returns a program in a file of an otherwise empty folder, with the package. */
  Program program(Path folder, String file) throws Exception;

  /** Program that begins and ends watches, as its argument says. */
  Program endings();

  /** Argument with which watches end while they wait. */
  String interruption();

  /** Kinds of things that the endings must not leave in the process. */
  List<String> leftovers();

  @ParameterizedTest
  @CsvSource({"watch, ADDED \\S+ Running", "store, '[1-9]\\d* pods, [1-9]\\d* of them on node-1'"})
  default void example_runsAtASandbox(String name, String output, @TempDir Path folder)
      throws Exception {
    String file = name + suffix();
    String source = Files.readString(sources().resolve("examples").resolve(file));
    try (Command gateway = Command.startSandbox()) {
      String address = "127.0.0.1:" + gateway.awaitServing().grpc();
      Files.writeString(folder.resolve(file), source.replace("127.0.0.1:7443", address));
      try (RunningProgram example = program(folder, file).start()) {
        await()
            .atMost(Duration.ofMinutes(3))
            .untilAsserted(
                () ->
                    assertThat(example.out())
                        .as(() -> "" + example.err())
                        .anyMatch(line -> line.matches(output)));
      }
    }
  }

  @Test
  default void readme_hasTheExample() throws IOException {
    assertThat(Files.readString(sources().resolve("README.md")))
        .contains(Files.readString(sources().resolve("examples/watch" + suffix())));
  }

  @Test
  default void watchesThatEndAtAnyMoment_leaveNothing(Apiserver apiserver) throws Exception {
    end(interruption(), ENDINGS, apiserver);
  }

  @Test
  default void closedClients_leaveNothing(Apiserver apiserver) throws Exception {
    end("close", ENDINGS, apiserver);
  }

  @Test
  @Tag("thorough")
  default void tenThousandWatches_leaveNothing(Apiserver apiserver) throws Exception {
    end(interruption(), 10_000, apiserver);
    end("close", 10_000, apiserver);
  }

  private void end(String way, int count, Apiserver apiserver) throws Exception {
    int seed = new Random().nextInt(Integer.MAX_VALUE);
    System.err.println("seed " + seed);
    new Maps(apiserver.cluster()).create("one");
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver)) {
      String output =
          endings().and(way, "" + count, "" + seed, "127.0.0.1:" + gateway.port()).run();

      JsonNode left = Json.parse(output.lines().toList().getLast());
      assertThat(left.get("began").intValue()).as(output).isGreaterThanOrEqualTo(count / 2);
      for (String kind : leftovers()) {
        assertThat(left.get(kind).intValue()).as(output).isZero();
      }
      await()
          .atMost(Duration.ofMinutes(3))
          .untilAsserted(() -> assertThat(gateway.metrics().sum("watchgate_streams")).isZero());
    }
  }
}
