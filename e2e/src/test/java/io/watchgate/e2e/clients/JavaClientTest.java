package io.watchgate.e2e.clients;

import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.program.Program;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // of its tests
final class JavaClientTest implements ConformanceCases {
  @Override
  public Program client() {
    List<String> command =
        Stream.concat(
                OwnJvm.command().stream(),
                Stream.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    JavaClient.class.getName()))
            .toList();
    return Program.of(command.toArray(String[]::new));
  }
}
