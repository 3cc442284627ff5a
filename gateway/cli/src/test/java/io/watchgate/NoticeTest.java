package io.watchgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class NoticeTest {
  /** Licences that allow delivery together with this project. A person must decide about others. */
  private static final Set<String> LICENCES =
      Set.of(
          "Apache-2.0",
          "BSD-2-Clause OR CC0-1.0",
          "BSD-3-Clause",
          "MIT",
          "EPL-2.0 OR LGPL-2.1-only");

  private static final Pattern DELIVERED =
      Pattern.compile("^ +([^: ]+:[^: ]+):jar:([^: ]+):(?:compile|runtime)", Pattern.MULTILINE);
  private static final Pattern NAMED =
      Pattern.compile(
          "^  (?<library>[^: ]+:(?<artifact>[^: ]+):[^: ]+) +(?<licence>\\S.*)$",
          Pattern.MULTILINE);

  @Test
  void notice_listsExactlyTheDeliveredLibraries() throws IOException {
    // The build writes this file, because the test's own class path includes the libraries of the
    // tests.
    List<String> delivered =
        DELIVERED
            .matcher(Files.readString(Path.of("target/delivered.txt")))
            .results()
            .map(found -> found.group(1) + ":" + found.group(2))
            .filter(library -> !library.startsWith("io.watchgate:"))
            .sorted()
            .toList();

    assertThat(delivered).isNotEmpty();
    assertThat(named().stream().map(found -> found.group("library")))
        .as("NOTICE, as group:artifact:version, sorted, each with its licence")
        .containsExactlyElementsOf(delivered);
  }

  @Test
  void everyLicence_allowsDelivery() throws IOException {
    assertThat(named()).allSatisfy(found -> assertThat(LICENCES).contains(found.group("licence")));
  }

  /** If a licence requires its text, the notice must contain the text. */
  @Test
  void notice_containsRequiredLicenceTexts() throws IOException {
    String notice = notice();
    for (MatchResult found : named()) {
      if (List.of("MIT", "BSD-3-Clause").contains(found.group("licence"))) {
        assertThat(notice)
            .containsPattern(
                "(?m)^" + found.group("licence") + ": .*" + Pattern.quote(found.group("artifact")));
      }
    }
  }

  @Test
  void jar_containsNoticeAndLicence() {
    assertThat(NoticeTest.class.getResource("/META-INF/NOTICE")).isNotNull();
    assertThat(NoticeTest.class.getResource("/META-INF/LICENSE")).isNotNull();
  }

  private static List<MatchResult> named() throws IOException {
    return NAMED.matcher(notice()).results().toList();
  }

  /** Surefire runs in the module's directory. */
  private static String notice() throws IOException {
    return Files.readString(Path.of("../../NOTICE"));
  }
}
