package io.watchgate.kube;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Program that prints credentials ({@code exec} of a kubeconfig's user). {@link ExecPluginProcess}
 * runs it; its timeouts are in {@link KubeSettings.Plugins}.
 *
 * @param location location of the user's entry, for errors
 * @param command a name to look up in PATH, or an absolute path
 * @param environment variables in addition to this process's own
 * @param apiVersion version of its input and of its output
 * @param installHint advice if it is missing; may be empty
 * @param info its input in {@code KUBERNETES_EXEC_INFO}
 */
record ExecPlugin(
    String location,
    String command,
    List<String> arguments,
    Map<String, String> environment,
    String apiVersion,
    String installHint,
    ExecInfo info) {
  static final String GROUP = "client.authentication.k8s.io/";
  private static final List<String> VERSIONS = List.of(GROUP + "v1", GROUP + "v1beta1");

  static ExecPlugin of(
      KubeconfigSection user, KubeconfigSection clusterSection, KubeconfigCluster cluster)
      throws ConfigException {
    KubeconfigSection exec = user.section("exec", user.location() + ": exec");
    String apiVersion = exec.required("apiVersion");
    if (!VERSIONS.contains(apiVersion)) {
      throw exec.error(
          "apiVersion is none of "
              + String.join(", ", VERSIONS)
              + "; have the plugin's own tool write the entry again");
    }
    String command = exec.required("command");
    switch (exec.text("interactiveMode")) {
      case "", "IfAvailable", "Never" -> {}
      case "Always" ->
          throw exec.error(
              "interactiveMode is Always, but a gateway has no terminal when a credential expires;"
                  + " use a plugin that needs no terminal, or the token of a service account"
                  + " (kubectl create token)");
      default -> throw exec.error("interactiveMode must be Never, IfAvailable or Always");
    }
    Map<String, String> environment = new LinkedHashMap<>();
    for (KubeconfigSection variable : exec.list("env")) {
      String name = variable.required("name");
      String value = variable.text("value");
      if (name.matches("(?s).*[=\0].*") || value.indexOf('\0') >= 0) {
        throw variable.error("no variable of a process can have that name or value");
      }
      environment.put(name, value);
    }
    boolean inPath = command.indexOf(File.separatorChar) < 0;
    return new ExecPlugin(
        user.location(),
        inPath ? command : exec.path(command).toString(),
        exec.texts("args"),
        environment,
        apiVersion,
        exec.text("installHint"),
        exec.flag("provideClusterInfo")
            ? ExecInfo.withCluster(apiVersion, clusterSection, cluster)
            : ExecInfo.withoutCluster(apiVersion));
  }

  /**
   * Returns the path of the program.
   *
   * @throws IOException if it is missing or not executable; the message has the remedy
   */
  Path executable() throws IOException {
    if (command.indexOf(File.separatorChar) >= 0) {
      return executable(Path.of(command), "there is no such file");
    }
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, command);
      if (!folder.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file)) {
        return file;
      }
    }
    throw missing("it is not in PATH");
  }

  private Path executable(Path file, String otherwise) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw missing(otherwise);
    }
    if (!Files.isExecutable(file)) {
      throw error("this user may not execute it");
    }
    return file;
  }

  private IOException missing(String problem) {
    return error(
        problem
            + (installHint.isEmpty()
                ? "; install it, or correct the command"
                : "; install hint: " + LogText.singleLine(installHint)));
  }

  IOException error(String problem) {
    return new IOException(location + ": exec plugin " + command + ": " + problem);
  }

  /** Returns only the command, since arguments and environment may contain secrets. */
  @Override
  public String toString() {
    return "ExecPlugin[" + command + "]";
  }
}
