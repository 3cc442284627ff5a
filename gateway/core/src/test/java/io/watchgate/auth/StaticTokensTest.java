package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the parser of token files, and of its errors. */
final class StaticTokensTest {
  @TempDir private Path folder;

  private StaticTokens read(String text) throws IOException {
    return StaticTokens.read(Files.writeString(folder.resolve("tokens"), text));
  }

  private static Optional<UserInfo> of(String user, String uid, String... groups) {
    return Optional.of(UserInfo.authenticated(user, uid, List.of(groups)));
  }

  @Test
  void lines_areParsedAsByTheApiserver() throws IOException {
    StaticTokens tokens =
        read(
            """
            # whom it lets in

            t1,jane,u1,"devs,ops"
              t2 , joe , u2 , one\t
            t3,"a ""b"", c",u3
            "t,4",d,,"g , ,h"
            t5,e,
            t6,f,u6,"",more
            """);

    assertThat(tokens.find("t1")).isEqualTo(of("jane", "u1", "devs", "ops"));
    assertThat(tokens.find("t2")).isEqualTo(of("joe", "u2", "one"));
    assertThat(tokens.find("t3")).isEqualTo(of("a \"b\", c", "u3"));
    assertThat(tokens.find("t,4")).isEqualTo(of("d", "", "g", "h"));
    assertThat(tokens.find("t5")).isEqualTo(of("e", ""));
    assertThat(tokens.find("t6")).isEqualTo(of("f", "u6"));
    for (String none : List.of("", "t", "t11", "T1", "jane", "# whom it lets in", "t1,jane")) {
      assertThat(tokens.find(none)).as(none).isEmpty();
    }
  }

  @Test
  void byteOrderMark_isIgnored() throws IOException {
    assertThat(read("\uFEFFt1,jane,u1\r\nt2,joe,u2\r\n").find("t1")).isEqualTo(of("jane", "u1"));
    assertThat(read("\uFEFF\"t1\",jane,u1\n").find("t1")).isEqualTo(of("jane", "u1"));
  }

  @Test
  void duplicateToken_usesTheLastLine() throws IOException {
    assertThat(read("t,a,1\nt,b,2\n").find("t")).isEqualTo(of("b", "2"));
  }

  @Test
  void longLine_isRead() throws IOException {
    String groups = "group-with-a-name,".repeat(10_000);

    assertThat(read("t,a,1,\"" + groups + "\"\n").find("t"))
        .isEqualTo(of("a", "1", "group-with-a-name"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3cret",
        "s3cret,user",
        ",user,s3cret",
        "s3cret,,uid",
        "s3cret, ,uid",
        "\"s3cret,user,uid",
        "\"s3cret\"x,user,uid",
        "s3cret,us\"er,uid",
        "s3cret;user;uid",
        "s3cret,\"\",uid",
      })
  void malformedLine_errorNamesItsNumberOnly(String line) {
    assertThatThrownBy(() -> read("# one\nt,a,1\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tokens, line 3 ")
        .hasMessageContaining("TOKEN,USER,UID")
        .message()
        .doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "# t,a,1\n"})
  void fileWithoutTokens_isRejected(String text) {
    assertThatThrownBy(() -> read(text)).hasMessageContaining("holds no token");
  }

  @Test
  void invalidFile_errorNamesIt() throws IOException {
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {'t', (byte) 0xC3, ','});
    Path large = Files.writeString(folder.resolve("large"), "t,a,1\n".repeat(200_000));

    assertThatThrownBy(() -> StaticTokens.read(bytes)).hasMessageContaining("bytes is not text");
    assertThatThrownBy(() -> StaticTokens.read(large)).hasMessageContaining("larger than 1 MiB");
    assertThatThrownBy(() -> StaticTokens.read(folder.resolve("none")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no file");
    assertThatThrownBy(() -> StaticTokens.read(folder)).isInstanceOf(IOException.class);
  }

  @Test
  void token_isComparedByBytes() throws IOException {
    StaticTokens tokens =
        StaticTokens.read(
            Files.write(folder.resolve("t"), "\u00e4,a,1\n".getBytes(StandardCharsets.UTF_8)));

    assertThat(tokens.find("\u00e4")).isPresent();
    assertThat(tokens.find("?")).isEmpty();
  }
}
