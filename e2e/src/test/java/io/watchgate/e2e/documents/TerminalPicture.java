package io.watchgate.e2e.documents;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * SVG picture of the text in a terminal, with its colors. It has no font and no script of its own,
 * and follows the reader's choice of a light or dark page.
 */
public record TerminalPicture(List<String> lines) {
  private static final int COLUMN_WIDTH = 8;
  private static final int LINE_HEIGHT = 19;
  private static final int MARGIN = 16;

  /** A piece of text after at most one escape sequence that selects its decoration. */
  private static final Pattern PIECE = Pattern.compile("(?:\033\\[(\\d+)m)?([^\033]*)");

  /** Style classes of the decorations that the commands use. */
  private static final Map<String, String> CLASSES =
      Map.of("1", "b", "31", "r", "32", "g", "35", "m");

  private static final String STYLE =
      """
      <style>
        rect { fill: #ffffff; stroke: #d0d7de }
        text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
        .b { font-weight: bold } .r { fill: #cf222e } .g { fill: #1a7f37 } .m { fill: #8250df }
        @media (prefers-color-scheme: dark) {
          rect { fill: #0d1117; stroke: #30363d }
          text { fill: #e6edf3 }
          .r { fill: #ff7b72 } .g { fill: #3fb950 } .m { fill: #d2a8ff }
        }
      </style>
      """;

  public String svg() {
    int columns = lines.stream().mapToInt(line -> plain(line).length()).max().orElse(0);
    int width = columns * COLUMN_WIDTH + 2 * MARGIN;
    int height = lines.size() * LINE_HEIGHT + 2 * MARGIN;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
            .formatted(width, height));
    svg.append(STYLE);
    svg.append("<rect width=\"100%\" height=\"100%\" rx=\"6\"/>\n");
    for (int i = 0; i < lines.size(); i++) {
      int baseline = MARGIN + LINE_HEIGHT * i + 14;
      svg.append("<text x=\"%d\" y=\"%d\">".formatted(MARGIN, baseline));
      PIECE.matcher(lines.get(i)).results().forEach(piece -> svg.append(span(piece)));
      svg.append("</text>\n");
    }
    return svg.append("</svg>\n").toString();
  }

  private static String span(MatchResult piece) {
    String text = piece.group(2).replace("&", "&amp;").replace("<", "&lt;");
    String style = Optional.ofNullable(piece.group(1)).map(CLASSES::get).orElse(null);
    return text.isEmpty() || style == null
        ? text
        : "<tspan class=\"%s\">%s</tspan>".formatted(style, text);
  }

  private static String plain(String line) {
    return line.replaceAll("\033\\[\\d+m", "");
  }
}
