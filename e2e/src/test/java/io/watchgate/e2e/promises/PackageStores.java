package io.watchgate.e2e.promises;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.clients.NodeSdk;
import io.watchgate.e2e.clients.PythonSdk;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Process with stores of a package in another language, one for each selection; {@code e2e/stores}
 * describes its lines. Used by the thread of the check.
 */
final class PackageStores {
  private static final Path PROGRAMS = Repository.root().resolve("e2e/stores");

  private static Map<String, Program> programs = Map.of();

  private final RunningProgram program;
  private final List<PackageStore> stores = new ArrayList<>();
  private int read;

  /**
   * @param name name of the language
   * @param ports ports of the gateway, or of each of its replicas
   * @param changesOfReader number of changes after which a reader is replaced; 0: no readers
   */
  PackageStores(
      String name,
      Program program,
      List<Integer> ports,
      List<InformerSelection> selections,
      int changesOfReader) {
    ObjectNode request =
        JsonNodeFactory.instance.objectNode().put("changesOfReader", changesOfReader);
    ArrayNode servers = request.putArray("servers");
    ports.forEach(port -> servers.add("127.0.0.1:" + port));
    ArrayNode wanted = request.putArray("stores");
    for (InformerSelection selection : selections) {
      wanted.add(request(selection));
      stores.add(new PackageStore(name, selection, this));
    }
    this.program = program.and(request.toString()).start();
  }

  /** Returns the programs by language. They are made once for all tests. */
  static synchronized Map<String, Program> programs() throws Exception {
    if (programs.isEmpty()) {
      programs =
          Map.of(
              "Go",
              GoProgram.build(PROGRAMS.resolve("go"), "go.mod", ".", "stores"),
              "Python",
              PythonSdk.installed("stores").and(PROGRAMS.resolve("stores.py").toString()),
              "Node",
              NodeSdk.installed("stores", PROGRAMS.resolve("stores.mjs")));
    }
    return programs;
  }

  private static ObjectNode request(InformerSelection selection) {
    ObjectNode wanted =
        JsonNodeFactory.instance
            .objectNode()
            .put("resource", selection.type())
            .put("group", selection.group())
            .put("labels", selection.query().labelSelector())
            .put("fields", selection.query().fieldSelector())
            .put("view", selection.projection().view().name());
    selection.query().namespaces().forEach(wanted.putArray("namespaces")::add);
    return wanted;
  }

  List<PackageStore> stores() {
    return stores;
  }

  /** Gives the lines since the last call to their stores. */
  void read() {
    List<String> lines = program.out();
    for (int end = lines.size(); read < end; read++) {
      JsonNode line = Json.parse(lines.get(read));
      stores.get(line.get("store").intValue()).accept(line);
    }
  }

  /** Returns what the process says of itself, for a report. */
  String fault() {
    return (program.isAlive() ? "runs" : "has ended") + " and said " + program.err();
  }

  void close() {
    program.close();
  }
}
