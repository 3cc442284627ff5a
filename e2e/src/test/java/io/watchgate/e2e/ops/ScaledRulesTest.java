package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Json;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Test of {@link ScaledRules}: a duration that it misses would let an alert fire in hours only. */
final class ScaledRulesTest {
  /** Whatever may be a duration: a number with letters behind it. */
  private static final Pattern NUMBER_AND_LETTERS = Pattern.compile("(?<![\\w.\"])\\d+[a-z]\\w*");

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");

  /** Returns the expressions and other texts with durations, one after the other. */
  private static List<String> texts(JsonNode file) {
    List<String> texts = new ArrayList<>();
    for (JsonNode group : file.get("groups")) {
      texts.add(group.path("interval").asText());
      for (JsonNode rule : group.get("rules")) {
        texts.add(rule.path("for").asText());
        texts.add(QUOTED.matcher(rule.get("expr").asText()).replaceAll("\"\""));
      }
    }
    return texts;
  }

  private static JsonNode original(String file) throws Exception {
    Object read =
        new Load(LoadSettings.builder().build())
            .loadFromString(
                Files.readString(
                    Repository.root().resolve("gateway/deploy/monitoring").resolve(file)));
    return new ObjectMapper().valueToTree(read);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rules.yaml", "alerts.yaml"})
  void eachDuration_isDivided_andNothingElseChanges(String file) throws Exception {
    List<String> before = texts(original(file));
    List<String> after = texts(Json.parse(ScaledRules.of(file, "watchgate")));
    assertThat(after).hasSameSizeAs(before);
    int durations = 0;
    for (int i = 0; i < before.size(); i++) {
      List<Duration> original =
          NUMBER_AND_LETTERS
              .matcher(before.get(i))
              .results()
              .map(MatchResult::group)
              .map(ScaledRules::duration)
              .toList();
      List<Duration> divided =
          NUMBER_AND_LETTERS
              .matcher(after.get(i))
              .results()
              .map(found -> found.group().replaceFirst("ms$", ""))
              .map(millis -> Duration.ofMillis(Long.parseLong(millis)))
              .toList();
      assertThat(divided.stream().map(each -> each.multipliedBy(ScaledRules.DIVISOR)))
          .as(after.get(i))
          .containsExactlyElementsOf(original);
      assertThat(NUMBER_AND_LETTERS.matcher(after.get(i)).replaceAll("D"))
          .isEqualTo(NUMBER_AND_LETTERS.matcher(before.get(i)).replaceAll("D"));
      durations += original.size();
    }
    assertThat(durations).isGreaterThan(8);
  }

  @Test
  void job_isReplaced() throws Exception {
    assertThat(ScaledRules.of("alerts.yaml", "alone"))
        .contains("job=\\\"alone\\\"")
        .doesNotContain("job=\\\"watchgate\\\"");
  }

  @Test
  void textsForPeople_andNumbers_remain() throws JsonProcessingException {
    assertThat(
            Json.parse(
                    ScaledRules.scaled(
                        "groups: [{interval: 1m, rules: [{for: 1h, expr: 'x[3m] > 120',"
                            + " annotations: {summary: 'for 1h'}}]}]"))
                .toString())
        .contains("\"1000ms\"", "\"60000ms\"", "x[3000ms] > 120", "\"for 1h\"");
  }
}
