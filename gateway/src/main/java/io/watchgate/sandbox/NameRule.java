package io.watchgate.sandbox;

import io.watchgate.select.LabelSyntax;

/** What the objects of a type may be called. */
enum NameRule {
  /** Lower-case words, joined by dots. */
  SUBDOMAIN {
    @Override
    String wrongWith(String name) {
      return LabelSyntax.wrongWithName(name);
    }
  },
  /** One such word: namespaces, and what becomes a host name. */
  LABEL {
    @Override
    String wrongWith(String name) {
      return name.contains(".") ? "must not contain dots" : LabelSyntax.wrongWithNamespace(name);
    }
  };

  /** What is wrong with a name; empty if nothing is. */
  abstract String wrongWith(String name);

  /** What is wrong with what a name is to be generated from; empty if nothing is. */
  String wrongWithPrefix(String prefix) {
    return wrongWith(
        prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 1) + "a" : prefix);
  }
}
