package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.proto.v1.Selection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which objects, of every command that prints objects. */
final class SelectionOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Parameters(
      index = "0",
      paramLabel = "TYPE[/NAME]",
      converter = TargetArgument.Converter.class,
      description =
          "pods, po, deployments.apps, apps/v1/deployments, pods/web, ... 'watchgate types' lists"
              + " the types.")
  private @Nullable TargetArgument target;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description = "Only the object of this name, as TYPE/NAME.")
  private String name = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NS",
      description = "Only these namespaces: a,b; may be given again. Default: all.")
  private List<String> namespaceLists = List.of();

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "All namespaces, as without -n.")
  private boolean allNamespaces;

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Label selector: app=web,tier!=cache,'env in (a,b)'. Default: all.")
  private String labelSelector = "";

  @Option(
      names = "--field-selector",
      paramLabel = "SELECTOR",
      description = "Field selector: spec.nodeName=node-7. Default: all.")
  private String fieldSelector = "";

  /**
   * What the options come to.
   *
   * @throws ParameterException where they contradict each other
   */
  Selection selection() {
    List<String> namespaces = namespaces();
    if (allNamespaces && !namespaces.isEmpty()) {
      throw wrong("-A and -n exclude each other");
    }
    return Selection.newBuilder()
        .setResourceType(requireNonNull(target).type())
        .addAllNamespaces(namespaces)
        .setLabelSelector(labelSelector)
        .setFieldSelector(fields())
        .build();
  }

  /** Empty: all objects are meant. */
  String name() {
    String ofTarget = requireNonNull(target).name();
    if (!ofTarget.isEmpty() && !name.isEmpty()) {
      throw wrong(
          "TYPE/"
              + ofTarget
              + " and '"
              + name
              + "': one name only; to see several objects, select them by labels: -l");
    }
    return ofTarget.isEmpty() ? name : ofTarget;
  }

  /** The name goes last, so that columns of what was typed stay the same. */
  private String fields() {
    String wanted = name();
    if (wanted.isEmpty()) {
      return fieldSelector;
    }
    StringBuilder fields = new StringBuilder(fieldSelector);
    fields.append(fieldSelector.isEmpty() ? "" : ",").append("metadata.name=");
    for (int i = 0; i < wanted.length(); i++) {
      char c = wanted.charAt(i);
      fields.append(c == '\\' || c == ',' || c == '=' ? "\\" : "").append(c);
    }
    return fields.toString();
  }

  /** An empty one is refused: it must never come to mean all. */
  private List<String> namespaces() {
    List<String> namespaces = new ArrayList<>();
    for (String list : namespaceLists) {
      for (String each : list.split(",", -1)) {
        String namespace = each.strip();
        if (namespace.isEmpty()) {
          throw wrong("-n: a namespace is empty; leave -n out to take all namespaces");
        }
        if (!namespaces.contains(namespace)) {
          namespaces.add(namespace);
        }
      }
    }
    return namespaces;
  }

  ParameterException wrong(String what) {
    return new ParameterException(requireNonNull(command).commandLine(), what);
  }
}
