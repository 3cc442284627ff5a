package io.watchgate.e2e.clients;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Running controller of client-go, from {@code e2e/clients/go-kube}, and what it has printed. */
public record KubeController(RunningProgram program) implements AutoCloseable {
  private static final Path MODULE = Repository.root().resolve("e2e/clients/go-kube");

  /** Version of client-go. */
  public enum ClientGo {
    OLDEST("oldest.mod"),
    NEWEST("go.mod");

    private final String versions;

    ClientGo(String versions) {
      this.versions = versions;
    }

    Program build() throws Exception {
      return GoProgram.build(MODULE, versions, ".", "go-kube-" + versions);
    }
  }

  /** Starts the controller for a namespace, with options that say how it reads. */
  public static KubeController start(ClientGo version, Path kubeconfig, Maps maps, String... reads)
      throws Exception {
    return new KubeController(
        version
            .build()
            .and("--kubeconfig", kubeconfig.toString(), "--namespace", maps.namespace())
            .and(reads)
            .start());
  }

  /** Returns the resourceVersions of the objects that the informer has, by name. */
  public Map<String, String> state() {
    Map<String, String> state = new TreeMap<>();
    for (String line : program.out()) {
      JsonNode event = Json.parse(line);
      String name = event.at("/about/metadata/name").asText();
      switch (event.get("what").textValue()) {
        case "set" -> state.put(name, event.at("/about/metadata/resourceVersion").textValue());
        case "delete" -> state.remove(name);
        default -> {}
      }
    }
    return state;
  }

  /**
   * Returns the number of lines of a kind.
   *
   * @param what list, of a ListerWatcher; apiserver, for a read that was not answered by a gateway
   */
  public long count(String what) {
    return program.out().stream()
        .filter(line -> Json.parse(line).get("what").textValue().equals(what))
        .count();
  }

  @Override
  public String toString() {
    return "a controller that lists "
        + program.out().stream().filter(line -> line.contains("\"what\":\"list\"")).toList()
        + " and says "
        + program.err();
  }

  @Override
  public void close() {
    program.close();
  }
}
