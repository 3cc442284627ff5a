package io.watchgate.e2e.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Image whose layers umoci has unpacked.
 *
 * @param files root of its file system
 * @param process what an engine would run: the member {@code process} of a runtime's configuration
 */
record UnpackedImage(Path files, JsonObject process) {
  private static final Path ROOT = Repository.root();
  private static final String TOOL = ROOT.resolve("e2e/image/tool").toString();

  /** Unpacks an archive into an empty folder. */
  static UnpackedImage of(Path archive, String tag, Path folder) throws Exception {
    Path layout = Files.createDirectories(folder.resolve("layout"));
    Program.of("tar", "-xf", archive.toString(), "-C", layout.toString()).run();
    Path bundle = folder.resolve("bundle");
    Program.of(TOOL, "umoci", "unpack", "--image", layout + ":" + tag, bundle.toString()).run();
    JsonObject configuration =
        JsonParser.parseString(Files.readString(bundle.resolve("config.json"))).getAsJsonObject();
    return new UnpackedImage(bundle.resolve("rootfs"), configuration.getAsJsonObject("process"));
  }

  /** Returns what skopeo prints of an archive. */
  static JsonObject inspected(Path archive) throws Exception {
    String printed = Program.of(TOOL, "skopeo", "inspect", "oci-archive:" + archive).run();
    return JsonParser.parseString(printed).getAsJsonObject();
  }

  /** Returns the entry point with further arguments, to be run inside of the image. */
  Program program(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(ROOT.resolve("e2e/image/inside").toString());
    command.add(files.toString());
    strings("args").forEach(command::add);
    command.addAll(List.of(arguments));
    return Program.of(command.toArray(String[]::new));
  }

  private Stream<String> strings(String member) {
    return process.getAsJsonArray(member).asList().stream().map(JsonElement::getAsString);
  }

  /** Returns all files but folders, relative to the root. */
  List<Path> all() throws IOException {
    try (Stream<Path> walked = Files.walk(files)) {
      return walked.filter(file -> !Files.isDirectory(file)).map(files::relativize).toList();
    }
  }
}
