package io.watchgate.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.Random;

/** Source of random JSON whose strings contain everything that could mislead a scanner. */
public final class RandomJson {
  private static final String[] PIECES = {
    "\"",
    "\\",
    "}{",
    "} ",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\\n",
    "\u0000",
    "é",
    "𝄞",
    " ",
    ",",
    ":",
    "a",
    "kind",
    "apiVersion",
    "abcdefghijklmnopqrstuvwxyz",
    "{\"type\":\"ADDED\",\"object\":{"
  };
  private static final String[] KEYS = {
    "kind", "apiVersion", "metadata", "items", "type", "object", "a", "bb", "\"", "\\", "é", ""
  };
  private final Random random;

  public RandomJson(Random random) {
    this.random = random;
  }

  public ObjectNode object(int depth) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (int i = random.nextInt(6); i > 0; i--) {
      object.set(KEYS[random.nextInt(KEYS.length)], value(depth - 1));
    }
    return object;
  }

  public JsonNode value(int depth) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (random.nextInt(depth > 0 ? 9 : 6)) {
      case 0 -> nodes.nullNode();
      case 1 -> nodes.booleanNode(random.nextBoolean());
      case 2 -> nodes.numberNode(new BigInteger(1 + random.nextInt(90), random).negate());
      case 3 -> nodes.numberNode(random.nextGaussian() * 1e200);
      case 4, 5 -> nodes.textNode(string());
      case 6 -> {
        ArrayNode array = nodes.arrayNode();
        for (int i = random.nextInt(5); i > 0; i--) {
          array.add(value(depth - 1));
        }
        yield array;
      }
      default -> object(depth);
    };
  }

  public String string() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }
}
