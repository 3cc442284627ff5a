package io.watchgate.e2e.packages;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.clients.NodeSdk;
import io.watchgate.e2e.clients.PythonSdk;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Programs with the compared clients: official ones in their pinned versions, ours from the
 * sources.
 */
final class PackagePrograms {
  private static final Path GO = Repository.root().resolve("e2e/clients/go-kube");
  private static final Path PYTHON = Repository.root().resolve("e2e/src/test/python");
  private static final String PYTHON_PROGRAM = PYTHON.resolve("measured.py").toString();
  private static final String NODE = "e2e/clients/client-node";
  private static final String NODE_PROGRAM = "measured.mjs";

  private PackagePrograms() {}

  /**
   * Builds the program of a client. Its further arguments are the number of pods, and a kubeconfig,
   * or the address of a gateway and the file of its authority.
   */
  static Program build(ComparedPackage side) throws Exception {
    return switch (side) {
      case CLIENT_GO -> go("informer");
      case CLIENT_GO_JSON -> go("informer").and("--json");
      case GO -> go("reflect");
      case GO_INFORMER -> go("listerwatcher");
      case PYTHON_OFFICIAL ->
          PythonEnvironment.with(PYTHON.resolve("requirements.txt"))
              .and(PYTHON_PROGRAM, "informer");
      case PYTHON -> PythonSdk.installed("measured").and(PYTHON_PROGRAM, "store");
      case NODE_OFFICIAL -> NodeProgram.prepare(NODE, NODE_PROGRAM).and("informer");
      case NODE -> node().and("store");
    };
  }

  private static Program go(String name) throws Exception {
    return GoProgram.build(GO, "go.mod", "./measured/" + name, "measured-" + name);
  }

  /** Returns our program for Node, run by the same Node as the official client. */
  private static Program node() throws Exception {
    Program official = NodeProgram.prepare(NODE, NODE_PROGRAM);
    Path source = Repository.root().resolve(NODE).resolve(NODE_PROGRAM);
    Program ours = NodeSdk.installed("measured", source);
    return new Program(
        Stream.concat(official.command().stream().limit(1), ours.command().stream().skip(1))
            .toList(),
        ours.folder(),
        ours.environment());
  }
}
