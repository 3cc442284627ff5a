package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BlockTest {
  private static final String DOCUMENT =
      """
      Text

          first \\
            --continued    # said of it
          # a comment
          second

      ```java
      int third;
          int fourth;
      ```
      - a list
          that goes on
      """;

  private final List<Block> blocks = Block.of("D.md", DOCUMENT.lines().toList());

  @Test
  void blocks_areFencedOrIndented() {
    assertThat(blocks).extracting(Block::line).containsExactly(3, 9);
    assertThat(blocks).extracting(Block::language).containsExactly("", "java");
    assertThat(blocks.getLast().text()).isEqualTo("int third;\n    int fourth;\n");
  }

  @Test
  void command_isOneLineWithoutComments() {
    assertThat(blocks.getFirst().commands()).containsExactly("first    --continued", "second");
  }
}
