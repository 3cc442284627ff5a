package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the page's table of clients against all that the tests record. A build in which not all
 * tests run compares only a part of the table. {@code -Dwatchgate.clients.write=true} writes the
 * table instead.
 */
final class TriedClientTest {
  @Test
  void table_equalsWhatAllTestsRecord(@TempDir Path folder) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (TriedClient client : TriedClient.values()) {
      lines.append(client.lines());
    }
    Path record = Files.writeString(folder.resolve("tried.tsv"), lines);
    Program.of(OwnJvm.command().toArray(String[]::new))
        .and(Repository.root().resolve(".mvn/tools/ClientTable.java").toString())
        .and(Repository.root().resolve("docs/reference/kubernetes-api.md").toString())
        .and(record.toString(), "true", System.getProperty("watchgate.clients.write", "false"))
        .run();
  }
}
