package io.watchgate.e2e.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Copy of a file of rules in which each duration is divided by {@link #DIVISOR}, so that an alert
 * fires within seconds. Numbers that are compared with a metric remain.
 */
final class ScaledRules {
  /** Makes a minute a second, the interval at which the test scrapes. */
  static final int DIVISOR = 60;

  /** Duration of PromQL with one unit; the rules have no other ones. */
  static final Pattern DURATION = Pattern.compile("(?<![\\w.])(\\d+)([smhd])(?!\\w)");

  private static final ObjectMapper JSON = new ObjectMapper();

  private ScaledRules() {}

  /**
   * Returns the copy as JSON, which is YAML too.
   *
   * @param file name of a file of the folder of the rules
   * @param job replaces the job {@code watchgate}, as the documents say
   */
  static String of(String file, String job) throws IOException {
    Path path = Repository.root().resolve("gateway/deploy/monitoring").resolve(file);
    return scaled(Files.readString(path).replace("job=\"watchgate\"", "job=\"%s\"".formatted(job)));
  }

  static String scaled(String rules) throws JsonProcessingException {
    Load load = new Load(LoadSettings.builder().setLabel("rules").build());
    return JSON.writeValueAsString(scaled("", load.loadFromString(rules)));
  }

  private static Object scaled(String key, Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .collect(
                  Collectors.toMap(
                      each -> String.valueOf(each.getKey()),
                      each -> scaled(String.valueOf(each.getKey()), each.getValue())));
      case List<?> list -> list.stream().map(each -> scaled(key, each)).toList();
      case String text when List.of("expr", "for", "interval").contains(key) ->
          DURATION
              .matcher(text)
              .replaceAll(found -> duration(found.group()).dividedBy(DIVISOR).toMillis() + "ms");
      default -> value;
    };
  }

  /** Returns the value of a duration of PromQL with one of the units s, m, h and d. */
  static Duration duration(String text) {
    char unit = text.charAt(text.length() - 1);
    String iso = Character.toUpperCase(unit) == 'D' ? "P" : "PT";
    return Duration.parse(iso + text);
  }
}
