import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Sums up the tests of a build: {@code TestReport ROOT START} reads the reports of all modules
 * under ROOT that were written since START. What was skipped because a tool is missing comes last,
 * and is a failure where {@code CI=true}.
 */
class TestReport {
  private static final String MISSING_TOOL = "missing tool: ";
  private static final int SLOWEST = 10;

  private final List<Case> cases = new ArrayList<>();

  /** One test; {@code skipped} is the reason, null if it ran. */
  private record Case(String name, double seconds, boolean failed, String skipped) {}

  public static void main(String[] args) throws Exception {
    TestReport report = new TestReport();
    for (Path file : reports(Path.of(args[0]).toAbsolutePath(), Instant.parse(args[1]))) {
      report.read(file);
    }
    Map<String, Integer> missing = report.print();
    if (!missing.isEmpty() && "true".equals(System.getenv("CI"))) {
      System.err.println("With CI=true every tool must be there; install it and run again.");
      System.exit(1);
    }
  }

  private static List<Path> reports(Path root, Instant start) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root, 5)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String folder = file.getParent().getFileName().toString();
        if ((folder.equals("surefire-reports") || folder.equals("slow-reports"))
            && file.getFileName().toString().matches("TEST-.*\\.xml")
            && !Files.getLastModifiedTime(file).toInstant().isBefore(start)) {
          found.add(file);
        }
      }
    }
    return found;
  }

  private void read(Path file) throws IOException, XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    try (InputStream bytes = Files.newInputStream(file)) {
      XMLStreamReader xml = factory.createXMLStreamReader(bytes);
      Case current = null;
      while (xml.hasNext()) {
        int what = xml.next();
        if (what == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("testcase")) {
          cases.add(current);
        }
        if (what != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "testcase" -> current = start(xml);
          case "failure", "error" -> current = new Case(current.name, current.seconds, true, null);
          case "skipped" -> current = new Case(current.name, current.seconds, false, reason(xml));
          default -> {}
        }
      }
    }
  }

  private static Case start(XMLStreamReader xml) {
    String type = xml.getAttributeValue(null, "classname");
    String name =
        type.substring(type.lastIndexOf('.') + 1) + "." + xml.getAttributeValue(null, "name");
    String time = xml.getAttributeValue(null, "time");
    return new Case(
        name, time == null ? 0 : Double.parseDouble(time.replace(",", "")), false, null);
  }

  /**
   * Returns the reason of a skip: without a message, the first line of the text, which is an
   * exception with its stack.
   */
  private static String reason(XMLStreamReader xml) throws XMLStreamException {
    String message = xml.getAttributeValue(null, "message");
    String said =
        message == null || message.isBlank()
            ? xml.getElementText().lines().findFirst().orElse("")
            : message;
    String reason = said.replaceFirst("^\\S*Exception: (Assumption failed: )?", "").strip();
    return reason.isEmpty() ? "no reason given" : reason;
  }

  /** Prints all of it and returns the missing tools with the number of tests that need them. */
  private Map<String, Integer> print() {
    long failed = cases.stream().filter(Case::failed).count();
    Map<String, Integer> missing = new TreeMap<>();
    Map<String, Integer> others = new TreeMap<>();
    for (Case one : cases) {
      if (one.skipped != null && one.skipped.startsWith(MISSING_TOOL)) {
        missing.merge(one.skipped.substring(MISSING_TOOL.length()), 1, Integer::sum);
      } else if (one.skipped != null) {
        others.merge(one.skipped, 1, Integer::sum);
      }
    }
    long skipped = cases.stream().filter(one -> one.skipped != null).count();
    System.out.printf(
        "%nTests: %d passed, %d failed, %d skipped; %.0f s in all.%n",
        cases.size() - failed - skipped,
        failed,
        skipped,
        cases.stream().mapToDouble(Case::seconds).sum());
    System.out.println("The slowest:");
    cases.stream()
        .sorted(Comparator.comparingDouble(Case::seconds).reversed())
        .limit(SLOWEST)
        .forEach(one -> System.out.printf("%7.1f s  %s%n", one.seconds, one.name));
    others.forEach(
        (reason, count) -> System.out.printf("Skipped: %d because of \"%s\".%n", count, reason));
    missing.forEach(
        (tool, count) -> System.out.printf("NOT RUN: %d tests that need %s.%n", count, tool));
    return missing;
  }
}
