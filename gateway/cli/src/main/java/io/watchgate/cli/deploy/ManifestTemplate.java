package io.watchgate.cli.deploy;

import io.watchgate.cli.output.YamlText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Template of one file of the manifests, from {@code deploy/manifests}: YAML with placeholders
 * {@code ${name}}. Immutable.
 */
record ManifestTemplate(String text) {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");

  /** Complete scalars of names: a namespace can be called {@code 2024} or {@code no}. */
  private static final Pattern NAMES =
      Pattern.compile(
          "(?<=: |- )(?:-?\\$\\{(?:name|namespace|image|tlsSecret|issuer|metricsNamespace)})+"
              + "(?:-\\w+)?(?=$|[,}\\]])");

  /** Reads the template of a file, whose name has no ending. */
  static ManifestTemplate read(String file) {
    String name = file + ".yaml";
    try (InputStream in = ManifestTemplate.class.getResourceAsStream(name)) {
      return new ManifestTemplate(
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the text with the values of its placeholders, names quoted if need be. A line that
   * becomes blank is removed.
   */
  String fill(Map<String, String> values) {
    StringBuilder filled = new StringBuilder();
    for (String line : text.lines().toList()) {
      String named =
          NAMES
              .matcher(line)
              .replaceAll(
                  name -> Matcher.quoteReplacement(YamlText.scalar(replace(name.group(), values))));
      String complete = replace(named, values);
      if (!complete.isBlank()) {
        filled.append(complete).append('\n');
      }
    }
    return filled.toString();
  }

  private static String replace(String text, Map<String, String> values) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(
            placeholder ->
                Matcher.quoteReplacement(
                    Objects.requireNonNull(values.get(placeholder.group(1)), placeholder.group())));
  }
}
