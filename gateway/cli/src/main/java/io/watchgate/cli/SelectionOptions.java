package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.proto.v1.Selection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options and arguments that select objects, of all commands that print objects. */
@OptionGroup("Selection")
final class SelectionOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Parameters(
      index = "0",
      paramLabel = "TYPE[/NAME]",
      converter = TargetArgument.Converter.class,
      description =
          "pods, po, deployments.apps, apps/v1/deployments, pods/web; several types: pods,services."
              + " 'watchgate types' lists the types.")
  private @Nullable TargetArgument target;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description =
          "Only objects of this name, one of each TYPE; with one type, the same as TYPE/NAME.")
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
   * Returns the selections, one for each type.
   *
   * @throws ParameterException if options contradict each other
   */
  List<Selection> selections() {
    List<String> namespaces = namespaces();
    if (allNamespaces && !namespaces.isEmpty()) {
      throw usageError("-A and -n exclude each other");
    }
    Selection.Builder selection =
        Selection.newBuilder()
            .addAllNamespaces(namespaces)
            .setLabelSelector(labelSelector)
            .setFieldSelector(fields());
    return requireNonNull(target).types().stream()
        .map(type -> selection.setResourceType(type).build())
        .toList();
  }

  /** Returns the types and options as typed, in one line. */
  String text() {
    List<String> words = new ArrayList<>();
    words.add(
        requireNonNull(target).types().stream()
                .map(TypeArgument::text)
                .collect(Collectors.joining(","))
            + (name().isEmpty() ? "" : "/" + name()));
    if (!namespaceLists.isEmpty()) {
      words.add("-n " + String.join(",", namespaces()));
    }
    if (!labelSelector.isEmpty()) {
      words.add("-l " + labelSelector);
    }
    if (!fieldSelector.isEmpty()) {
      words.add("--field-selector " + fieldSelector);
    }
    return String.join(" ", words);
  }

  /** Returns the columns of a table that distinguish namespaces and types. */
  Set<Extra> extras() {
    Set<Extra> extras = EnumSet.noneOf(Extra.class);
    if (namespaces().size() != 1) {
      extras.add(Extra.NAMESPACE);
    }
    if (hasSeveralTypes()) {
      extras.add(Extra.KIND);
    }
    return extras;
  }

  /** Returns whether several types are selected. */
  boolean hasSeveralTypes() {
    return requireNonNull(target).types().size() > 1;
  }

  /** Returns the name of a single object; empty for all objects. */
  String name() {
    String ofTarget = requireNonNull(target).name();
    if (!ofTarget.isEmpty() && !name.isEmpty()) {
      throw usageError(
          "TYPE/"
              + ofTarget
              + " and '"
              + name
              + "': one name only; to see several objects, select them by labels: -l");
    }
    if (name.contains("/")) {
      throw usageError("'" + name + "': NAME is one name; -n NAMESPACE gives the namespace");
    }
    return ofTarget.isEmpty() ? name : ofTarget;
  }

  /** Returns the sentence for a selection of this command by name that has no object. */
  String missingText(Selection asked) {
    List<String> within = asked.getNamespacesList();
    StringBuilder text = new StringBuilder("there is no object '").append(name());
    text.append("' of type ").append(TypeArgument.text(asked.getResourceType()));
    if (!within.isEmpty()) {
      text.append(within.size() == 1 ? " in namespace " : " in the namespaces ");
      text.append(String.join(", ", within));
    }
    if (!labelSelector.isEmpty() || !fieldSelector.isEmpty()) {
      text.append(" that the selectors match");
    }
    return text.toString();
  }

  /** Appends the name at the end, so that error columns still match the typed selector. */
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

  /** Refuses an empty namespace, which must never mean all namespaces. */
  private List<String> namespaces() {
    List<String> namespaces = new ArrayList<>();
    for (String list : namespaceLists) {
      for (String each : list.split(",", -1)) {
        String namespace = each.strip();
        if (namespace.isEmpty()) {
          throw usageError("-n: a namespace is empty; leave -n out to take all namespaces");
        }
        if (!namespaces.contains(namespace)) {
          namespaces.add(namespace);
        }
      }
    }
    return namespaces;
  }

  ParameterException usageError(String problem) {
    return UsageError.of(command, problem);
  }
}
