package io.watchgate.e2e.documents;

import io.watchgate.e2e.kube.Resource;
import java.util.List;

/** Checks of the commands that install the Helm chart in the namespace watchgate. */
final class ChartRecipe {
  private ChartRecipe() {}

  /** Installs the release, and removes it: other blocks have accounts of the same name. */
  static Check installs() {
    return (block, world) -> {
      createNamespace(world);
      Check.eachPrints("^STATUS: deployed$").run(block, world);
      Block removal =
          new Block(
              block.document(),
              block.line(),
              block.language(),
              List.of("helm uninstall watchgate --namespace watchgate"));
      Check.eachPrints("^release \"watchgate\" uninstalled$").run(removal, world);
    };
  }

  /** Sends the rendered objects to the apiserver in a dry run. */
  static Check renders() {
    return (block, world) -> {
      createNamespace(world);
      Check.eachPrints("^deployment.apps/watchgate created \\(server dry run\\)$")
          .run(block, world);
    };
  }

  private static void createNamespace(ReaderEnvironment world) {
    LaptopRecipe.createUnlessPresent(
        world.apiserver().cluster(),
        Resource.NAMESPACES,
        """
        {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"watchgate"}}\
        """);
  }
}
