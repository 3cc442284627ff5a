package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.pem.PemSource;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that several files are merged as kubectl merges them. */
final class KubeconfigMergeTest extends KubeconfigFixture {
  private Path file(String folderName, String text) throws IOException {
    Path made = Files.createDirectories(folder.resolve(folderName)).resolve("config");
    return Files.writeString(made, text);
  }

  private static String variable(Path... files) {
    return Arrays.stream(files).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private static String contexts(String name, String server) {
    return "contexts: [{name: %s, context: {cluster: %s}}]\nclusters: [{name: %s, cluster: {server: '%s'}}]\n"
        .formatted(name, name, name, server);
  }

  @Test
  void firstFileWithEntry_decides() throws Exception {
    Path first = file("a", contexts("one", "https://first"));
    Path second = file("b", "current-context: two\n" + contexts("two", "https://second"));
    Path third = file("c", "current-context: one\n" + contexts("one", "https://third"));
    String all = variable(first, second, third);
    assertThat(Kubeconfig.loadAll(all, "").serverUrl()).isEqualTo("https://second/");
    assertThat(Kubeconfig.loadAll(all, "one").serverUrl()).isEqualTo("https://first/");
    assertThat(Kubeconfig.loadAll(variable(third, second, first), "").serverUrl())
        .isEqualTo("https://third/");
  }

  @Test
  void entry_isTakenCompletelyFromOneFile() throws Exception {
    Path first =
        file("a", "clusters: [{name: c, cluster: {server: 'https://first'}}]\nusers: [{name: u}]");
    Path second =
        file("b", "current-context: dev\n" + CONTEXT + cluster("tls-server-name: second") + USER);
    ClientConfig access = Kubeconfig.loadAll(variable(first, second), "");
    assertThat(access.serverUrl()).isEqualTo("https://first/");
    assertThat(access.tls().serverName()).isEmpty();
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Anonymous());
    assertThat(access.namespace()).isEqualTo("shop");
  }

  @Test
  void relativePaths_referToTheirFile() throws Exception {
    Path first =
        file("a", "current-context: dev\n" + CONTEXT + cluster("certificate-authority: ca.crt"));
    Path second = file("b", user("tokenFile: ../b/token"));
    Path authority = Files.writeString(first.resolveSibling("ca.crt"), CA.certificatePem());
    Path token = Files.writeString(second.resolveSibling("token"), "t");
    ClientConfig access = Kubeconfig.loadAll(variable(first, second), "");
    assertThat(access.tls().authorities()).isEqualTo(new PemSource.InFile(authority));
    assertThat(access.credentials()).isEqualTo(new UserCredentials.TokenFile(token));
  }

  @Test
  void missingFilesAndEmptyNames_areIgnored() throws Exception {
    Path there = file("a", "current-context: one\n" + contexts("one", "https://first"));
    String some = File.pathSeparator + variable(folder.resolve("none"), there, there, folder);
    assertThatThrownBy(() -> Kubeconfig.loadAll(some, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(folder + ": cannot be read");
    String good = File.pathSeparator + variable(folder.resolve("none"), there, there);
    assertThat(Kubeconfig.loadAll(good, "").serverUrl()).isEqualTo("https://first/");
  }

  @Test
  void withoutAnyFile_fails() {
    Path none = folder.resolve("none");
    Path neither = folder.resolve("neither");
    assertThatThrownBy(() -> Kubeconfig.loadAll(variable(none, neither), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "KUBECONFIG names only files that do not exist ("
                + none
                + ", "
                + neither
                + "); correct it, or name your kubeconfig with --kubeconfig");
    assertThatThrownBy(() -> Kubeconfig.loadAll(File.pathSeparator, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("KUBECONFIG names no file; correct it");
  }

  @Test
  void brokenFile_isNotIgnored() throws Exception {
    Path good = file("a", "current-context: one\n" + contexts("one", "https://first"));
    Path broken = file("b", "[");
    assertThatThrownBy(() -> Kubeconfig.loadAll(variable(good, broken), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(broken + ": is not YAML");
  }

  @Test
  void missingEntry_errorNamesAllFiles() throws Exception {
    Path first = file("a", contexts("one", "https://first"));
    Path second = file("b", contexts("two", "https://second"));
    assertThatThrownBy(() -> Kubeconfig.loadAll(variable(first, second), "three"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(first + ", " + second + ": has no context \"three\"; it has one, two");
  }
}
