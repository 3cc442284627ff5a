package io.watchgate.e2e.unmodified;

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

/** Informer in a separate process that prints its notifications as lines of JSON. */
record ProgramInformer(RunningProgram program) implements Informer {
  private static final Path PYTHON = Repository.root().resolve("e2e/src/test/python");

  private static final Path KUBE_RS = Repository.root().resolve("e2e/clients/kube-rs");

  /** Starts an informer of client-go, which begins with a streaming list or with a list. */
  static Informer ofClientGo(boolean watchList, Target target, String namespace) throws Exception {
    Program informer = Program.of(KubernetesProgram.INFORMER.path().toString());
    return start(informer.with(watchList(watchList)), target, namespace, "configmaps.v1.");
  }

  /** Returns the environment in which client-go begins with a streaming list or with a list. */
  static Map<String, String> watchList(boolean watchList) {
    return Map.of("KUBE_FEATURE_WatchListClient", Boolean.toString(watchList));
  }

  /** Starts a list and a watch of the official Python client. */
  static Informer ofPython(Target target, String namespace) throws Exception {
    return start(python("requirements.txt", "informer.py"), target, namespace);
  }

  /** Starts a list and a watch of kubernetes_asyncio. */
  static Informer ofAsyncioPython(Target target, String namespace) throws Exception {
    return start(python("requirements.txt", "asyncio_informer.py"), target, namespace);
  }

  /** Starts a list and a watch of lightkube. */
  static Informer ofLightkube(Target target, String namespace) throws Exception {
    return start(python("lightkube-requirements.txt", "lightkube_informer.py"), target, namespace);
  }

  /** Starts a list and a watch of kr8s. */
  static Informer ofKr8s(Target target, String namespace) throws Exception {
    return start(python("kr8s-requirements.txt", "kr8s_informer.py"), target, namespace);
  }

  /**
   * Starts an informer of the official JavaScript client.
   *
   * @param version 1 or 2
   * @param more further arguments
   */
  static ProgramInformer ofNode(int version, Target target, String namespace, String... more)
      throws Exception {
    Program informer =
        NodeProgram.prepare("e2e/clients/client-node", "informer.mjs")
            .and("--library", "client-node-" + version);
    return start(informer, target, namespace, more);
  }

  /**
   * Starts a watcher of kube-rs.
   *
   * @param strategy {@code list} or {@code streaming-list}
   */
  static Informer ofKubeRs(String strategy, Target target, String namespace) throws Exception {
    return start(CargoProgram.build(KUBE_RS), target, namespace, strategy);
  }

  private static Program python(String requirements, String script) throws Exception {
    Program python = PythonEnvironment.with(PYTHON.resolve(requirements));
    return python.and(PYTHON.resolve(script).toString());
  }

  static ProgramInformer start(
      Program informer, Target target, String namespace, String... arguments) {
    return new ProgramInformer(
        informer
            .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
            .and("--selector", "app=web")
            .and(arguments)
            .start());
  }

  @Override
  public List<InformerEvent> events() {
    return program.out().stream()
        .map(Json::parse)
        .map(line -> new InformerEvent(line.get("what").textValue(), line.path("object")))
        .toList();
  }

  /** Returns how many lines of stderr equal the text. */
  long printed(String line) {
    return program.err().stream().filter(line::equals).count();
  }

  @Override
  public void close() {
    program.close();
  }
}
