package io.watchgate.cli;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options for the start of a watch and for saving its position. */
@OptionGroup("Position")
final class PositionOptions {
  @Option(
      names = "--from",
      paramLabel = "START",
      converter = StartArgument.Converter.class,
      description =
          "now: with the next change; RV: with the first change after this resourceVersion; @FILE:"
              + " after the token that --save-token put there. Default: with the objects that"
              + " exist.")
  private StartArgument start = new StartArgument.Beginning();

  @Option(
      names = "--save-token",
      paramLabel = "FILE",
      description =
          "File in which the resume token is saved after each printed change, to continue with"
              + " --from @FILE. If --from names the same file, the first run starts without a"
              + " token. Default: none.")
  private @Nullable Path saveTo;

  /** Returns whether a start is named. */
  boolean isGiven() {
    return !(start instanceof StartArgument.Beginning);
  }

  /** Returns whether a position is named or saved, which is one of a single type. */
  boolean isOfOneType() {
    return saveTo != null || (isGiven() && !(start instanceof StartArgument.Now));
  }

  Optional<PositionFile> saveTo() {
    return Optional.ofNullable(saveTo).map(PositionFile::new);
  }

  /**
   * Puts the start into a request.
   *
   * @throws IOException if a required token is missing or the position cannot be saved; the message
   *     says what to do
   */
  void apply(ListAndWatchRequest.Builder request, ReconnectReporter reporter) throws IOException {
    Optional<String> problem = saveTo().flatMap(PositionFile::problem);
    if (problem.isPresent()) {
      throw new IOException("--save-token: " + problem.get());
    }
    switch (start) {
      case StartArgument.Beginning beginning -> {}
      case StartArgument.Now now -> request.setFromNow(FromNow.getDefaultInstance());
      case StartArgument.Version(String digits) -> request.setResourceVersion(digits);
      case StartArgument.Saved(Path file) -> {
        Optional<ByteString> token = new PositionFile(file).read();
        if (token.isEmpty() && !file.equals(saveTo)) {
          throw new IOException(
              "--from: there is no file " + file + "; --save-token " + file + " would make it");
        }
        if (token.isEmpty()) {
          reporter.report("there is no " + file + " yet, so the watch begins with what is there");
        }
        token.ifPresent(request::setResumeToken);
      }
    }
  }

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
}
