package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Informer in a separate process that prints its notifications as lines of JSON. */
record ProgramInformer(RunningProgram program) implements Informer {
  /** Environment in which client-go begins with a list, not with a streaming list. */
  static final Map<String, String> WITH_LIST = Map.of("KUBE_FEATURE_WatchListClient", "false");

  private static final Path PYTHON = Repository.root().resolve("e2e/src/test/python");

  /** Starts an informer of client-go. */
  static Informer ofClientGo(Target target, String namespace, Map<String, String> environment)
      throws Exception {
    Program informer = Program.of(KubernetesProgram.INFORMER.path().toString()).with(environment);
    return start(informer, target, namespace, "configmaps.v1.");
  }

  /** Starts a list and a watch of the official Python client. */
  static Informer ofPython(Target target, String namespace) throws Exception {
    Program python = PythonEnvironment.with(PYTHON.resolve("requirements.txt"));
    return start(python.and(PYTHON.resolve("informer.py").toString()), target, namespace);
  }

  private static Informer start(
      Program informer, Target target, String namespace, String... types) {
    return new ProgramInformer(
        informer
            .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
            .and("--selector", "app=web")
            .and(types)
            .start());
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
