package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.KubernetesProgram;
import io.watchgate.e2e.program.Program;
import java.nio.file.Path;
import java.util.Map;

/** kubectl, isolated from the configuration of the user who runs the tests. */
public final class Kubectl {
  private Kubectl() {}

  public static Program at(Path kubeconfig) throws Exception {
    return Program.of(KubernetesProgram.KUBECTL.path().toString())
        .with(Map.of("KUBERC", "off"))
        .and("--cache-dir", Repository.target("kubectl").toString())
        .and("--kubeconfig", kubeconfig.toString());
  }
}
