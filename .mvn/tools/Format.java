import com.google.googlejavaformat.java.Main;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks ({@code check}) or sets right ({@code fix}) the format of every Java source of the
 * project.
 */
class Format {
  private Format() {}

  public static void main(String[] args) throws Exception {
    List<String> call = new ArrayList<>();
    switch (args[0]) {
      case "check" -> call.addAll(List.of("--dry-run", "--set-exit-if-changed"));
      case "fix" -> call.add("--replace");
      default -> throw new IllegalArgumentException("check or fix, not " + args[0]);
    }
    try (Stream<Path> files = Files.walk(Path.of(args[1]))) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().matches(".*(src|\\.mvn|examples).*"))
          .filter(file -> !file.toString().contains("target"))
          .map(Path::toString)
          .sorted()
          .forEach(call::add);
    }
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = new Main(out, err, System.in).format(call.toArray(String[]::new));
    if (code != 0) {
      System.err.println(
          "Files named above are not in google-java-format. Set them right: mvn -N -q"
              + " toolchains:select-jdk-toolchain dependency:copy@formatter exec:exec@format");
    }
    System.exit(code);
  }
}
