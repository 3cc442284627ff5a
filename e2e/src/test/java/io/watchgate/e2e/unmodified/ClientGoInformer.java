package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.util.List;

/** Informer of client-go, in a separate process. */
record ClientGoInformer(RunningProgram program) implements Informer {
  static Informer start(Target target, String namespace) throws Exception {
    return new ClientGoInformer(
        Program.of(KubernetesProgram.INFORMER.path().toString())
            .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
            .and("--selector", "app=web", "configmaps.v1.")
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
