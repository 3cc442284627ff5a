package io.watchgate.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Exact YAML, read back by an independent parser. */
class YamlTextTest {
  private static final List<String> TEXTS =
      List.of("", "a b", "yes", "x\ny\n", "-", "k: v", "é", "\u0007");

  private static String yaml(JsonElement json) {
    StringBuilder text = new StringBuilder();
    YamlText.append(text, json);
    return text.toString();
  }

  private static Object read(String yaml) {
    return new Load(LoadSettings.builder().build()).loadFromString(yaml);
  }

  @Test
  void object_equalsKubectl() {
    JsonElement pod =
        JsonParser.parseString(
            """
            {"apiVersion":"v1","metadata":{"annotations":{"a.io/b":"true","n":"12"},"labels":{}},
             "data":{"file":"one\\n\\n  two\\n","open":"one\\ntwo","odd":" \\u001b[31m"},
             "spec":{"args":["-c","exit 1",[1,2],[]],"containers":[{"image":"nginx:1.25","ports":[{"p":80}]}],
             "n":9007199254740993,"on":null}}
            """);

    assertThat(yaml(pod))
        .isEqualTo(
            """
            apiVersion: v1
            metadata:
              annotations:
                a.io/b: "true"
                "n": "12"
              labels: {}
            data:
              file: |
                one

                  two
              open: |-
                one
                two
              odd: " \\u001b[31m"
            spec:
              args:
              - "-c"
              - exit 1
              - - 1
                - 2
              - []
              containers:
              - image: nginx:1.25
                ports:
                - p: 80
              "n": 9007199254740993
              "on": null
            """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "~",
        "null",
        "Yes",
        "off",
        "1",
        "0x1f",
        "1e3",
        ".inf",
        "2026-01-01",
        "12:30:45",
        "=",
        "<<",
        "- a",
        "a: b",
        "a #b",
        "a:",
        "#",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "'a",
        "\"a",
        "{a",
        "[a",
        "|",
        ">",
        "a\n",
        "\n",
        "a\n\n",
        "\na",
        " a",
        "a ",
        "a\tb",
        "a\n b\n",
        "a \nb",
        "a\rb",
        "\u0085",
        "\u2028",
        "\ufeffa",
        "é",
        "\ud83d\ude00",
        "a\n\ud83d\ude00",
        "\u0000",
        "a\\b",
        "a,b",
        "? a",
        "...",
        "---",
        "a\n---\nb",
        "\u009b31m"
      })
  void text_roundTrips(String text) {
    JsonObject object = new JsonObject();
    object.addProperty(text, text);
    JsonArray array = new JsonArray();
    array.add(text);
    array.add(object);

    String yaml = yaml(array);

    assertThat(read(yaml)).as(yaml).hasToString("[" + text + ", {" + text + "=" + text + "}]");
    assertThat(yaml.replace("\n", "").chars().noneMatch(Character::isISOControl))
        .as("no control characters but \\t inside of lines: " + yaml)
        .isEqualTo(text.indexOf('\t') < 0 || !yaml.contains("\t"));
  }

  @Test
  void randomTree_roundTrips() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      JsonElement tree = tree(random, 4);
      String yaml = yaml(tree);

      assertThat(String.valueOf(read(yaml))).as("seed %s:\n%s", seed, yaml).isEqualTo(java(tree));
    }
  }

  private static JsonElement tree(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 4 : 2)) {
      case 0 -> new JsonPrimitive(random.nextInt());
      case 1 -> new JsonPrimitive(TEXTS.get(random.nextInt(TEXTS.size())));
      case 2 -> {
        JsonArray array = new JsonArray();
        for (int i = random.nextInt(4); i > 0; i--) {
          array.add(tree(random, depth - 1));
        }
        yield array;
      }
      default -> {
        JsonObject object = new JsonObject();
        for (int i = random.nextInt(4); i > 0; i--) {
          object.add("key" + i, tree(random, depth - 1));
        }
        yield object;
      }
    };
  }

  /** Returns the text of the parser's lists and maps. */
  private static String java(JsonElement tree) {
    return switch (tree) {
      case JsonArray array -> array.asList().stream().map(YamlTextTest::java).toList().toString();
      case JsonObject object -> {
        StringBuilder text = new StringBuilder();
        object
            .asMap()
            .forEach(
                (name, value) ->
                    text.append(text.isEmpty() ? "" : ", ")
                        .append(name)
                        .append('=')
                        .append(java(value)));
        yield "{" + text + "}";
      }
      default -> tree.getAsString();
    };
  }
}
