package io.watchgate.cli;

import io.watchgate.kube.EditDistance;
import java.util.Collection;
import java.util.List;

/** Message for a command that does not exist, with similar commands. */
final class UnknownCommandText {
  private UnknownCommandText() {}

  static String text(String name, Collection<String> commands) {
    return "there is no command '" + name + "'" + meant(name, commands);
  }

  private static String meant(String name, Collection<String> commands) {
    return switch (name) {
      case "get" -> "; 'watchgate list' prints objects, 'watchgate watch' their changes too";
      case "describe" -> "; 'watchgate list TYPE/NAME -o yaml' prints all of an object";
      case "api-resources", "resources" -> "; near: types";
      case "version" -> "; 'watchgate --version' prints it";
      case "start", "run", "server" -> "; near: serve";
      case "apply", "create", "delete", "edit", "exec", "logs", "patch", "replace", "scale" ->
          "; watchgate only reads objects, kubectl does the rest";
      default -> near(name, commands);
    };
  }

  private static String near(String name, Collection<String> commands) {
    List<String> near =
        EditDistance.nearest(
            name,
            commands,
            command ->
                name.length() > 1 && command.startsWith(name)
                    ? 0
                    : EditDistance.between(name, command));
    return near.isEmpty() ? "" : "; near: " + String.join(", ", near);
  }
}
