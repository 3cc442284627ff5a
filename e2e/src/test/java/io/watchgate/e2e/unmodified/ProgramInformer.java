package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.CargoProgram;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Informer in a separate process that prints its notifications as lines of JSON. */
record ProgramInformer(RunningProgram program) implements Informer {
  /** Environment in which client-go begins with a list, not with a streaming list. */
  static final Map<String, String> WITH_LIST = Map.of("KUBE_FEATURE_WatchListClient", "false");

  private static final Path PYTHON = Repository.root().resolve("e2e/src/test/python");

  private static final Path KUBE_RS = Repository.root().resolve("e2e/clients/kube-rs");

  /** Starts an informer of client-go. */
  static Informer ofClientGo(Target target, String namespace, Map<String, String> environment)
      throws Exception {
    Program informer = Program.of(KubernetesProgram.INFORMER.path().toString()).with(environment);
    return start(informer, target, namespace, "configmaps.v1.");
  }

  /** Starts a typed informer of a version of client-go. */
  static Informer ofTypes(GoPrograms.ClientGo version, Target target, String namespace)
      throws Exception {
    return start(version.build(), target, namespace, "typed");
  }

  /** Starts an informer of a version of client-go that asks for metadata only. */
  static Informer ofMetadata(GoPrograms.ClientGo version, Target target, String namespace)
      throws Exception {
    RunningProgram program = run(version.build(), target, namespace, "metadata");
    return new MetadataInformer(new ProgramInformer(program));
  }

  /** Informer whose objects have no data. */
  private record MetadataInformer(Informer informer) implements Informer {
    @Override
    public List<InformerEvent> events() {
      return informer.events();
    }

    @Override
    public Map<String, JsonNode> expected(Map<String, JsonNode> listed) {
      Map<String, JsonNode> metadata = new TreeMap<>();
      listed.forEach(
          (name, object) -> metadata.put(name, ((ObjectNode) object.deepCopy()).putNull("data")));
      return metadata;
    }

    @Override
    public void close() {
      informer.close();
    }
  }

  /** Starts a list and a watch of the official Python client. */
  static Informer ofPython(Target target, String namespace) throws Exception {
    return start(python("informer.py"), target, namespace);
  }

  /** Starts a list and a watch of kubernetes_asyncio. */
  static Informer ofAsyncioPython(Target target, String namespace) throws Exception {
    return start(python("asyncio_informer.py"), target, namespace);
  }

  /** Starts an informer of the official JavaScript client. */
  static Informer ofNode(Target target, String namespace) throws Exception {
    return start(NodeProgram.prepare("e2e/clients/client-node", "informer.mjs"), target, namespace);
  }

  /**
   * Starts a watcher of kube-rs.
   *
   * @param strategy {@code list} or {@code streaming-list}
   */
  static Informer ofKubeRs(String strategy, Target target, String namespace) throws Exception {
    return start(CargoProgram.build(KUBE_RS), target, namespace, strategy);
  }

  private static Program python(String script) throws Exception {
    Program python = PythonEnvironment.with(PYTHON.resolve("requirements.txt"));
    return python.and(PYTHON.resolve(script).toString());
  }

  private static Informer start(
      Program informer, Target target, String namespace, String... types) {
    return new ProgramInformer(run(informer, target, namespace, types));
  }

  private static RunningProgram run(
      Program informer, Target target, String namespace, String... arguments) {
    return informer
        .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
        .and("--selector", "app=web")
        .and(arguments)
        .start();
  }

  @Override
  public List<InformerEvent> events() {
    return program.out().stream()
        .map(Json::parse)
        .map(line -> new InformerEvent(line.get("what").textValue(), line.path("object")))
        .toList();
  }

  @Override
  public void close() {
    program.close();
  }
}
