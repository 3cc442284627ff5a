package io.watchgate.kube;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.constructor.StandardConstructor;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * YAML parser with kubectl's behavior: the first document of a file, the last value of a duplicate
 * key, the booleans of YAML 1.1, and any tag.
 */
final class KubeconfigYaml {
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final Tag YES_OR_NO = new Tag("!watchgate-yes-or-no");

  private static final LoadSettings SETTINGS =
      LoadSettings.builder()
          .setSchema(new Schema())
          .setAllowDuplicateKeys(true)
          .setCodePointLimit(MAX_CHARACTERS)
          .build();

  private KubeconfigYaml() {}

  /**
   * Plain scalar that is a boolean in YAML 1.1 and a text in YAML 1.2: {@code yes}, {@code off}.
   */
  record YesOrNo(String text) {
    boolean value() {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "y", "yes", "on" -> true;
        default -> false;
      };
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * Returns the first document: maps, lists, texts, numbers, booleans and {@link YesOrNo}; null if
   * it is missing or empty.
   *
   * @throws CharacterCodingException if the bytes are no text
   * @throws org.snakeyaml.engine.v2.exceptions.YamlEngineException if the text is no YAML
   */
  static @Nullable Object read(byte[] file) throws CharacterCodingException {
    Iterator<Object> documents =
        new Load(SETTINGS, new Constructor()).loadAllFromString(text(file)).iterator();
    return documents.hasNext() ? documents.next() : null;
  }

  /** Decodes UTF-8, or UTF-16 with a byte order mark, which PowerShell writes. */
  private static String text(byte[] file) throws CharacterCodingException {
    Charset charset =
        file.length > 1 && ((file[0] == -1 && file[1] == -2) || (file[0] == -2 && file[1] == -1))
            ? StandardCharsets.UTF_16
            : StandardCharsets.UTF_8;
    return charset.newDecoder().decode(ByteBuffer.wrap(file)).toString();
  }

  private static final class Schema extends CoreSchema {
    @Override
    public ScalarResolver getScalarResolver() {
      ScalarResolver core = super.getScalarResolver();
      return (value, implicit) ->
          implicit && value.matches("[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")
              ? YES_OR_NO
              : core.resolve(value, implicit);
    }

    @Override
    public Map<Tag, ConstructNode> getSchemaTagConstructors() {
      Map<Tag, ConstructNode> constructors = super.getSchemaTagConstructors();
      constructors.put(YES_OR_NO, node -> new YesOrNo(((ScalarNode) node).getValue()));
      return constructors;
    }
  }

  private static final class Constructor extends StandardConstructor {
    Constructor() {
      super(SETTINGS);
    }

    /** Treats a node with an unknown tag as an untagged one. */
    @Override
    protected Optional<ConstructNode> findConstructorFor(Node node) {
      Optional<ConstructNode> found = super.findConstructorFor(node);
      if (found.isEmpty()) {
        node.setTag(
            switch (node.getNodeType()) {
              case SEQUENCE -> Tag.SEQ;
              case MAPPING -> Tag.MAP;
              default -> Tag.STR;
            });
        found = super.findConstructorFor(node);
      }
      return found;
    }
  }
}
