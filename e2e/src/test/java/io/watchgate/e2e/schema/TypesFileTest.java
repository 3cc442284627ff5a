package io.watchgate.e2e.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Test of the file. With {@code -Dwatchgate.write.types} the file is written first, which updates
 * it for another version of Kubernetes.
 */
@WithSharedApiserver
class TypesFileTest {
  private static final Path FILE =
      Repository.root()
          .resolve("gateway/sandbox/src/main/resources/io/watchgate/sandbox/schema/types.txt");

  @Test
  void typesFile_equalsApiserverSchema(Apiserver apiserver) throws Exception {
    String version = apiserver.cluster().read("/version").get("gitVersion").textValue();
    String expected = TypesFile.of(apiserver.cluster().read("/openapi/v2"), version);
    if (System.getProperty("watchgate.write.types") != null) {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, expected);
    }
    assertThat(FILE).hasContent(expected);
  }
}
