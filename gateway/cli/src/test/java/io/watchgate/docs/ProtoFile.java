package io.watchgate.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Declarations of a proto file with their comments. Reads the style of {@code watch.proto}: a
 * declaration a line, comments before it or behind it.
 */
record ProtoFile(List<Declaration> declarations) {
  /** Kind of a declaration at the top level. */
  enum Kind {
    SERVICE,
    MESSAGE,
    ENUM
  }

  /**
   * Service, message or enum.
   *
   * @param comment lines before it, without the slashes and the space behind them
   */
  record Declaration(Kind kind, String name, List<String> comment, List<Member> members) {}

  /**
   * Call, field, enum value, or {@code oneof} with a comment, which precedes its fields.
   *
   * @param type type of a field; empty for an enum value; the declaration for a call; {@code oneof}
   * @param group the {@code oneof} that a field belongs to; empty if none
   * @param comment lines before it, then those behind it
   */
  record Member(String name, String type, String group, List<String> comment) {}

  private static final String ONEOF = "oneof";

  /** Line of the file: a comment, or one of the declarations, with the comment behind it. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*// ?(?<comment>.*)|(?<kind>service|message|enum) (?<top>\\w+) \\{\\}?|  rpc"
              + " (?<signature>(?<call>\\w+).*);|  oneof (?<group>\\w+) \\{|  (?: "
              + " )?(?:(?<type>(?:repeated )?[\\w.]+) )?(?<member>\\w+) = \\d+;(?:\\s*//"
              + " ?(?<behind>.*))?|(?<end>  \\})");

  static ProtoFile read(Path file) throws IOException {
    List<Declaration> declarations = new ArrayList<>();
    List<String> comment = new ArrayList<>();
    String group = "";
    for (String line : Files.readAllLines(file)) {
      Matcher at = LINE.matcher(line);
      if (!at.matches()) {
        comment.clear();
      } else if (at.group("comment") != null) {
        comment.add(at.group("comment"));
      } else if (at.group("top") != null) {
        Kind kind = Kind.valueOf(at.group("kind").toUpperCase(Locale.ROOT));
        declarations.add(
            new Declaration(kind, at.group("top"), List.copyOf(comment), new ArrayList<>()));
        comment.clear();
      } else if (at.group("group") != null) {
        group = at.group("group");
        if (!comment.isEmpty()) {
          declarations.getLast().members().add(new Member(group, ONEOF, "", List.copyOf(comment)));
          comment.clear();
        }
      } else if (at.group("end") != null) {
        group = "";
      } else {
        Optional.ofNullable(at.group("behind")).ifPresent(comment::add);
        declarations.getLast().members().add(member(at, group, comment));
        comment.clear();
      }
    }
    return new ProtoFile(declarations);
  }

  private static Member member(Matcher at, String group, List<String> comment) {
    String type = Optional.ofNullable(at.group("type")).orElse("");
    return at.group("call") != null
        ? new Member(at.group("call"), at.group("signature"), "", List.copyOf(comment))
        : new Member(at.group("member"), type, group, List.copyOf(comment));
  }

  Declaration of(String name) {
    return declarations.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }
}
