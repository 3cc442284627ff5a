import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares the table of clients in a page with what the tests of a build have recorded: {@code
 * ClientTable PAGE RECORD ALL WRITE}. Each record must be in the table. If ALL is true, all tests
 * have run, and the table must have nothing else. If WRITE is true, the table is written instead.
 */
class ClientTable {
  private static final String HEAD =
      "| client | version | what | tried with |\n|---|---|---|---|\n";

  /** Row of the table. */
  private static final class Row {
    final TreeSet<String> versions =
        new TreeSet<>(
            Comparator.comparingInt((String version) -> Integer.parseInt(version.split("\\.")[0]))
                .thenComparingInt(version -> Integer.parseInt(version.split("\\.")[1])));
    final TreeSet<String> circumstances = new TreeSet<>();
    String what = "";

    /** Adds the versions and circumstances of a line of the table. */
    void add(String line) {
      String[] cells = cells(line);
      versions.addAll(List.of(cells[1].split(", ")));
      circumstances.addAll(List.of(cells[3].split(", ")));
    }

    String text(String client) {
      return "| %s | %s | %s | %s |\n"
          .formatted(client, String.join(", ", versions), what, String.join(", ", circumstances));
    }
  }

  public static void main(String[] args) throws IOException {
    Path page = Path.of(args[0]);
    boolean all = args[2].equals("true");
    boolean write = args[3].equals("true");
    String text = Files.readString(page);
    int begin = text.indexOf(HEAD) + HEAD.length();
    int end = text.indexOf("\n\n", begin) + 1;
    if (begin < HEAD.length()) {
      throw new IllegalStateException(page + " has no table of clients");
    }
    Map<String, Row> tried = tried(Path.of(args[1]));
    Map<String, String> held = new HashMap<>();
    List<String> order = new ArrayList<>();
    for (String line : text.substring(begin, end).lines().toList()) {
      String client = line.split(" \\| ", 2)[0].substring(2);
      order.add(client);
      held.put(client, line + "\n");
    }
    if (write) {
      tried.keySet().stream().filter(client -> !held.containsKey(client)).forEach(order::add);
      StringBuilder rows = new StringBuilder();
      for (String client : order) {
        Row row = tried.get(client);
        if (row != null && !all && held.containsKey(client)) {
          row.add(held.get(client));
        }
        rows.append(row != null ? row.text(client) : all ? "" : held.get(client));
      }
      Files.writeString(page, text.substring(0, begin) + rows + text.substring(end));
      return;
    }
    List<String> wrong = new ArrayList<>();
    tried.forEach(
        (client, row) -> {
          if (!covers(held.getOrDefault(client, ""), row, client, all)) {
            wrong.add("tried: " + row.text(client).strip());
          }
        });
    if (all) {
      held.keySet().removeAll(tried.keySet());
      held.values().forEach(row -> wrong.add("not tried: " + row.strip()));
    }
    if (!wrong.isEmpty()) {
      System.err.println(
          page
              + " differs from what the tests have tried; -Dwatchgate.clients.write=true writes"
              + " it:\n"
              + String.join("\n", wrong));
      System.exit(1);
    }
  }

  /** Returns whether a line of the table has all of a row; if {@code all}, nothing else. */
  private static boolean covers(String line, Row row, String client, boolean all) {
    String[] cells = cells(line);
    return all
        ? line.equals(row.text(client))
        : cells.length == 4
            && List.of(cells[1].split(", ")).containsAll(row.versions)
            && cells[2].equals(row.what)
            && List.of(cells[3].split(", ")).containsAll(row.circumstances);
  }

  private static String[] cells(String line) {
    return line.replaceAll("^\\| | \\|\\s*$", "").split(" \\| ");
  }

  private static Map<String, Row> tried(Path record) throws IOException {
    Map<String, Row> tried = new TreeMap<>();
    for (String line : Files.exists(record) ? Files.readAllLines(record) : List.<String>of()) {
      String[] cells = line.split("\t");
      Row row = tried.computeIfAbsent(cells[0], client -> new Row());
      row.versions.add(cells[1]);
      row.what = cells[2];
      row.circumstances.add(cells[3]);
    }
    return tried;
  }
}
