package io.watchgate.sandbox;

import io.watchgate.labels.LabelSyntax;

/** Rule for the names of a type's objects. */
enum NameRule {
  /** Lower-case words, separated by dots. */
  SUBDOMAIN {
    @Override
    String errorIn(String name) {
      return LabelSyntax.nameError(name);
    }
  },
  /** One lower-case word, for namespaces and for names that become a host name. */
  LABEL {
    @Override
    String errorIn(String name) {
      return name.contains(".") ? "must not contain dots" : LabelSyntax.namespaceError(name);
    }
  };

  /** Returns the error in a name; empty if the name is valid. */
  abstract String errorIn(String name);

  /** Returns the error in the prefix of a generated name; empty if the prefix is valid. */
  String errorInPrefix(String prefix) {
    return errorIn(prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 1) + "a" : prefix);
  }
}
