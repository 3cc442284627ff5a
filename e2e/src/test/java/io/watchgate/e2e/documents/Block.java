package io.watchgate.e2e.documents;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * Code block in a Markdown document of the repository: fenced, or indented by four spaces.
 *
 * @param line number of its first line, from 1
 * @param language name after the fence; empty if there is none
 */
record Block(String document, int line, String language, List<String> lines) {
  private static final String FENCE = "```";
  private static final String INDENT = "    ";

  static List<Block> of(String document) throws IOException {
    return of(document, Files.readAllLines(Repository.root().resolve(document)));
  }

  static List<Block> of(String document, List<String> text) {
    List<Block> blocks = new ArrayList<>();
    for (int at = 0; at < text.size(); at++) {
      String first = text.get(at);
      List<String> lines = new ArrayList<>();
      if (first.startsWith(FENCE)) {
        int start = at + 1;
        for (at++; at < text.size() && !text.get(at).startsWith(FENCE); at++) {
          lines.add(text.get(at));
        }
        String language = first.substring(FENCE.length()).strip();
        blocks.add(new Block(document, start + 1, language, List.copyOf(lines)));
      } else if (first.startsWith(INDENT) && (at == 0 || text.get(at - 1).isBlank())) {
        int start = at;
        for (; at < text.size() && text.get(at).startsWith(INDENT); at++) {
          lines.add(text.get(at).substring(INDENT.length()));
        }
        blocks.add(new Block(document, start + 1, "", List.copyOf(lines)));
      }
    }
    return blocks;
  }

  String text() {
    return String.join("\n", lines) + "\n";
  }

  /** Returns its commands, one per line: continued lines are joined, comments are left out. */
  List<String> commands() {
    return text()
        .replace("\\\n", " ")
        .lines()
        .map(line -> line.replaceFirst("(^| )# .*", "").strip())
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @Override
  public String toString() {
    return document + ":" + line + " " + lines.getFirst();
  }
}
