package io.watchgate.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.ops.pages.StatusPage;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Tests of the options that a gateway shows. */
final class OptionsInForceTest {
  private static final CommandSpec EXAMPLE =
      CommandSpec.create()
          .mixinStandardHelpOptions(true)
          .addOption(option("--apiserver", String.class, "An address. Default: none, of course."))
          .addOption(option("--flag", boolean.class, "A flag. Default: no."))
          .addOption(option("--type", List.class, "Types. Default: none."));

  private static OptionSpec option(String name, Class<?> type, String description) {
    return OptionSpec.builder(name).type(type).description(description).build();
  }

  private static List<StatusPage.Flag> flags(String... line) {
    var _ = new CommandLine(EXAMPLE).parseArgs(line);
    return OptionsInForce.of(EXAMPLE);
  }

  @Test
  void optionsOfLine_haveTheirValues_withoutPasswords() {
    assertThat(
            flags(
                "--flag", "--type", "a", "--type", "b", "--apiserver", "https://me:pw@host:1/a@b"))
        .containsExactly(
            new StatusPage.Flag("--apiserver", "https://***@host:1/a@b", true),
            new StatusPage.Flag("--flag", "true", true),
            new StatusPage.Flag("--type", "a,b", true));
  }

  @Test
  void otherOptions_haveTheDefaultOfTheHelp() {
    assertThat(flags())
        .containsExactly(
            new StatusPage.Flag("--apiserver", "none, of course", false),
            new StatusPage.Flag("--flag", "no", false),
            new StatusPage.Flag("--type", "none", false));
  }

  @Test
  void optionsOfServe_haveAValueEach() {
    CommandSpec root = CommandSpecs.root();
    var _ = root.commandLine().parseArgs("serve", "--sandbox");
    CommandLine serve = requireNonNull(root.subcommands().get("serve"));

    List<StatusPage.Flag> flags = OptionsInForce.of(serve.getCommandSpec());

    assertThat(flags).hasSizeGreaterThan(40);
    assertThat(flags.stream().map(StatusPage.Flag::name))
        .containsAll(
            serve.getCommandSpec().options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp() && !option.hidden())
                .map(OptionSpec::longestName)
                .toList());
    assertThat(flags).allSatisfy(flag -> assertThat(flag.value()).as(flag.name()).isNotEmpty());
  }
}
