package io.watchgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Test of the form of the documents: their links, sizes and kinds. */
final class DocumentLinksTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final int README_LINES = 150;
  private static final int PAGE_LINES = 200;

  /** Link to a file of the repository, or to a heading, in Markdown. */
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");

  private static final Pattern FRONT_MATTER =
      Pattern.compile(
          """
          ---
          kind: (?:tutorial|how-to|reference|explanation|overview)
          title: (.+)
          ---
          # (.+)
          """);

  private static List<Path> documents() throws IOException {
    try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(
                      "README.md",
                      "CONTRIBUTING.md",
                      "SECURITY.md",
                      "SUPPORT.md",
                      "CHANGELOG.md",
                      "CODE_OF_CONDUCT.md",
                      "conformance/README.md",
                      "e2e/README.md",
                      "e2e/stores/README.md",
                      "client-sdk/go/README.md",
                      "client-sdk/go/kube/README.md",
                      "client-sdk/java/README.md",
                      "client-sdk/node/README.md",
                      "client-sdk/python/README.md",
                      "gateway/deploy/chart/README.md")
                  .map(ROOT::resolve),
              pages.filter(page -> page.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  private static boolean isPage(Path document) {
    return document.startsWith(ROOT.resolve("docs"));
  }

  private static List<MatchResult> links(Path document) throws IOException {
    return LINK.matcher(Files.readString(document)).results().toList();
  }

  private static Path target(Path document, MatchResult link) {
    return link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1)).normalize();
  }

  /** Returns file and line of a link. */
  private static String place(Path document, MatchResult link) throws IOException {
    long linesBefore =
        Files.readString(document)
            .substring(0, link.start())
            .chars()
            .filter(c -> c == '\n')
            .count();
    return ROOT.relativize(document) + ":" + (linesBefore + 1);
  }

  /** Returns the anchors of a document's headings, as the usual viewers of Markdown make them. */
  private static Set<String> anchors(Path document) throws IOException {
    Set<String> anchors = new TreeSet<>();
    Pattern.compile("^#+ (.+)$", Pattern.MULTILINE)
        .matcher(Files.readString(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\p{Alnum}_ -]", "").replace(' ', '-'))
        .forEach(anchors::add);
    return anchors;
  }

  @Test
  void links_leadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      for (MatchResult link : links(document)) {
        Path target = target(document, link);
        String place = place(document, link) + ": " + link.group();
        if (!Files.exists(target)) {
          broken.add(place + " names no file; correct its path, or remove the link");
        } else if (link.group(2) != null && !anchors(target).contains(link.group(2))) {
          broken.add(place + " names no heading; the file has the anchors " + anchors(target));
        }
      }
    }
    assertThat(broken).as("links to files or headings that do not exist").isEmpty();
  }

  @Test
  void page_isReachableFromReadme() throws IOException {
    Set<Path> reached = new TreeSet<>();
    Deque<Path> open = new ArrayDeque<>(List.of(ROOT.resolve("README.md")));
    while (!open.isEmpty()) {
      Path document = open.pop();
      if (reached.add(document)) {
        for (MatchResult link : links(document)) {
          Path target = target(document, link);
          if (target.toString().endsWith(".md") && Files.exists(target)) {
            open.push(target);
          }
        }
      }
    }
    assertThat(documents().stream().filter(page -> !reached.contains(page)))
        .as("pages to which no link leads; add one to docs/README.md")
        .isEmpty();
  }

  @Test
  void page_saysItsKind_isShort_leadsOn() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path page : documents()) {
      String text = Files.readString(page);
      String name = ROOT.relativize(page).toString();
      long lines = text.lines().count();
      if (isPage(page)) {
        var start = FRONT_MATTER.matcher(text);
        if (!start.lookingAt() || !start.group(1).equals(start.group(2))) {
          wrong.add(
              name
                  + ":1 does not begin with '---', its kind, its title, '---' and the same title as"
                  + " heading");
        }
        if (!text.matches("(?s).*\nNext: .*\\]\\(.*\\]\\(.*\\)\\.\n")) {
          wrong.add(
              name + ":" + lines + " is not 'Next: [TEXT](FILE), [TEXT](FILE).': add two links on");
        }
        if (lines > PAGE_LINES) {
          wrong.add(name + " has " + lines + " lines, at most " + PAGE_LINES + ": split it");
        }
      } else if (name.equals("README.md") && lines > README_LINES) {
        wrong.add(name + " has " + lines + " lines, at most " + README_LINES);
      }
    }
    assertThat(wrong).isEmpty();
  }
}
