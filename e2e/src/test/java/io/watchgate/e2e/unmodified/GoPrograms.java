package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import java.nio.file.Path;

/** Programs of Go modules that read from Kubernetes, built from {@code e2e/clients}. */
final class GoPrograms {
  private static final Path CLIENTS = Repository.root().resolve("e2e/clients");

  private GoPrograms() {}

  /** Version of client-go. */
  enum ClientGo {
    OLDEST("oldest.mod"),
    NEWEST("go.mod");

    private final String module;

    ClientGo(String module) {
      this.module = module;
    }

    Program build() throws Exception {
      return GoProgram.build(CLIENTS.resolve("client-go"), module, ".", "client-go-" + module);
    }
  }

  /** Returns the program that waits until a number of informers has synced. */
  static Program manyInformers() throws Exception {
    return GoProgram.build(CLIENTS.resolve("client-go"), "./many");
  }

  static Program controllerRuntime() throws Exception {
    return GoProgram.build(CLIENTS.resolve("controller-runtime"), ".");
  }

  static Program prometheus() throws Exception {
    return GoProgram.build(CLIENTS.resolve("prometheus"), ".");
  }

  static Program kubeStateMetrics() throws Exception {
    return GoProgram.build(CLIENTS.resolve("kube-state-metrics"), "k8s.io/kube-state-metrics/v2");
  }
}
