package io.watchgate.conformance;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Results of a suite so far, as text and as JUnit XML. Not thread-safe. */
public final class ConformanceReport {
  private final Set<String> known;
  private final List<CaseResult> results = new ArrayList<>();

  /**
   * Creates a report without results.
   *
   * @param known names of cases that are known to fail; a listed case that passes counts as a
   *     failure
   */
  public ConformanceReport(Set<String> known) {
    this.known = Set.copyOf(known);
  }

  /** Adds a result, and returns its lines. */
  public String add(CaseResult result) {
    results.add(result);
    return text(result);
  }

  /** Returns whether the known failures failed, and every other case passed. */
  public boolean holds() {
    return results.stream().allMatch(this::holds);
  }

  private boolean holds(CaseResult result) {
    return result.isPassed() != known.contains(result.name());
  }

  private String text(CaseResult result) {
    StringBuilder text = new StringBuilder();
    String verdict =
        known.contains(result.name())
            ? result.isPassed() ? "PASSED, listed as failing: " : "known failure: "
            : result.isPassed() ? "passed: " : "FAILED: ";
    text.append(verdict).append(result.name()).append(' ').append(seconds(result)).append(" s\n");
    result.differences().forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }

  /** Returns the last line: how many passed. */
  public String summary() {
    long passed = results.stream().filter(CaseResult::isPassed).count();
    return "%d of %d cases pass%n".formatted(passed, results.size());
  }

  private static String seconds(CaseResult result) {
    return String.format(Locale.ROOT, "%.1f", result.time().toMillis() / 1000.0);
  }

  /** Returns the results as JUnit XML. */
  public String junit() {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "watchgate conformance");
      xml.writeAttribute("tests", Integer.toString(results.size()));
      xml.writeAttribute(
          "failures", Long.toString(results.stream().filter(result -> !holds(result)).count()));
      for (CaseResult result : results) {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "conformance");
        xml.writeAttribute("name", result.name());
        xml.writeAttribute("time", seconds(result));
        if (!holds(result)) {
          xml.writeStartElement("failure");
          xml.writeCharacters(withoutControls(text(result)));
          xml.writeEndElement();
        }
        xml.writeEndElement();
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing to memory cannot fail", e);
    }
    return text.toString();
  }

  /** XML has no form for most control characters. */
  private static String withoutControls(String text) {
    return text.replaceAll("[\\p{Cc}&&[^\n\t]]", "?");
  }
}
