package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.util.List;
import java.util.Map;

/** Informer of client-go, in a separate process. */
record ClientGoInformer(RunningProgram program) implements Informer {
  /** Environment in which client-go begins with a list, not with a streaming list. */
  static final Map<String, String> WITH_LIST = Map.of("KUBE_FEATURE_WatchListClient", "false");

  static Informer start(Target target, String namespace, Map<String, String> environment)
      throws Exception {
    return new ClientGoInformer(
        Program.of(KubernetesProgram.INFORMER.path().toString())
            .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
            .and("--selector", "app=web", "configmaps.v1.")
            .with(environment)
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
