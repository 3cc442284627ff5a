package io.watchgate.e2e.chart;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Definitions of the custom resources that the chart can create, as their projects publish them:
 * files of Go modules, which {@code e2e/helm/crds/go.mod} names. Needs Go.
 */
final class CustomResources {
  private static final List<String> FILES =
      List.of(
          "deploy/crds/cert-manager.io_certificates.yaml",
          "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
          "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml");

  private static final Pattern FOLDER = Pattern.compile("\"Dir\": \"(.*)\"");

  private CustomResources() {}

  /** Returns the definitions in YAML, one document each. */
  static List<String> definitions() throws Exception {
    String modules =
        Program.of("go", "mod", "download", "-json")
            .and(
                "github.com/cert-manager/cert-manager",
                "github.com/prometheus-operator/prometheus-operator")
            .in(Repository.root().resolve("e2e/helm/crds"))
            .run();
    List<Path> folders = FOLDER.matcher(modules).results().map(at -> Path.of(at.group(1))).toList();
    List<String> definitions = new ArrayList<>();
    for (String file : FILES) {
      for (Path folder : folders) {
        if (Files.exists(folder.resolve(file))) {
          definitions.add(Files.readString(folder.resolve(file)));
        }
      }
    }
    if (definitions.size() != FILES.size()) {
      throw new IllegalStateException("not all of " + FILES + " are in " + folders);
    }
    return definitions;
  }
}
