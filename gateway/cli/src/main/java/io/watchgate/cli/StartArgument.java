package io.watchgate.cli;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Value of {@code --from}. */
sealed interface StartArgument {
  /** Start with a snapshot. */
  record Beginning() implements StartArgument {}

  /** Start with the next change. */
  record Now() implements StartArgument {}

  /** Start with the first change after a version. */
  record Version(String digits) implements StartArgument {}

  /** Start with the first change after a saved token. */
  record Saved(Path file) implements StartArgument {}

  /** Picocli converter. */
  final class Converter implements ITypeConverter<StartArgument> {
    @Override
    public StartArgument convert(String text) {
      if (text.equals("now")) {
        return new Now();
      }
      if (text.startsWith("@")) {
        if (text.length() == 1) {
          throw new TypeConversionException("'@' is followed by the name of a file");
        }
        return new Saved(Path.of(text.substring(1)));
      }
      boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
      if (!digits || text.equals("0")) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is neither now, nor a resourceVersion above 0, nor @FILE; without --from the"
                + " watch begins with what is there");
      }
      return new Version(text);
    }
  }
}
