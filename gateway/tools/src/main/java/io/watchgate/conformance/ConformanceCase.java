package io.watchgate.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Case of the suite: streams of a scripted gateway, and what a client makes of them. Immutable. */
public final class ConformanceCase {
  /** Folder of the cases among the classes; its file {@code index} names them. */
  private static final String FOLDER = "/conformance/";

  private final String name;
  private final String about;
  private final List<String> arguments;
  private final int gateways;
  private final List<ScriptedStream> streams;
  private final ScriptedStream further;
  private final Expectation expectation;

  private ConformanceCase(
      String name,
      String about,
      List<String> arguments,
      int gateways,
      List<ScriptedStream> streams,
      ScriptedStream further,
      Expectation expectation) {
    this.name = name;
    this.about = about;
    this.arguments = arguments;
    this.gateways = gateways;
    this.streams = List.copyOf(streams);
    this.further = further;
    this.expectation = expectation;
  }

  /** Returns the name of the file, without {@code .json}. */
  public String name() {
    return name;
  }

  /** Returns the rule that the case tests. */
  public String about() {
    return about;
  }

  /** Returns further arguments of the client. */
  List<String> arguments() {
    return arguments;
  }

  /** Returns the number of addresses that the client knows. */
  int gateways() {
    return gateways;
  }

  List<ScriptedStream> streams() {
    return streams;
  }

  /** Returns what streams after the last one get. */
  ScriptedStream further() {
    return further;
  }

  Expectation expectation() {
    return expectation;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Returns all cases of this version, by name. */
  public static List<ConformanceCase> all() {
    try {
      List<ConformanceCase> cases = new ArrayList<>();
      for (String name : resource("index").lines().toList()) {
        cases.add(parse(name, resource(name + ".json")));
      }
      return cases;
    } catch (CaseFormatException e) {
      throw new IllegalStateException("a case of this version is wrong", e);
    }
  }

  private static String resource(String name) {
    try (InputStream file = ConformanceCase.class.getResourceAsStream(FOLDER + name)) {
      if (file == null) {
        throw new IllegalStateException("there is no " + FOLDER + name);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a case.
   *
   * @throws CaseFormatException if it is not one, with the reason
   */
  static ConformanceCase parse(String name, String json) throws CaseFormatException {
    try {
      CaseFields fields =
          new CaseFields(CaseFields.asObject(JsonParser.parseString(json), name), name);
      fields.allow(
          "about",
          "arguments",
          "gateways",
          "streams",
          "further",
          "story",
          "state",
          "error",
          "exitCode",
          "stderr");
      List<ScriptedStream> streams = new ArrayList<>();
      JsonArray array = fields.array("streams");
      for (JsonElement stream : array) {
        String of = name + ", stream " + (streams.size() + 1);
        streams.add(ScriptedStream.read(CaseFields.asObject(stream, of), of));
      }
      return new ConformanceCase(
          name,
          fields.text("about", ""),
          fields.texts("arguments"),
          fields.object().has("gateways") ? fields.object().get("gateways").getAsInt() : 1,
          streams,
          ScriptedStream.read(fields.object("further"), name + ", further streams"),
          Expectation.read(fields));
    } catch (JsonParseException | IllegalStateException | NumberFormatException e) {
      throw new CaseFormatException(name + ": " + e.getMessage());
    }
  }
}
