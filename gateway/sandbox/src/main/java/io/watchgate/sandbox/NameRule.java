package io.watchgate.sandbox;

import io.watchgate.labels.LabelSyntax;

/** Rule for the names of a type's objects. */
enum NameRule {
  /** Lower-case words, separated by dots. */
  SUBDOMAIN,

  /** One lower-case word, for namespaces and for names that become a host name. */
  LABEL;

  /** Returns the error in a name; empty if the name is valid. */
  String errorIn(String name) {
    return switch (this) {
      case SUBDOMAIN -> LabelSyntax.nameError(name);
      case LABEL -> name.contains(".") ? "must not contain dots" : LabelSyntax.namespaceError(name);
    };
  }

  /** Returns the error in the prefix of a generated name; empty if the prefix is valid. */
  String errorInPrefix(String prefix) {
    return errorIn(prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 1) + "a" : prefix);
  }
}
