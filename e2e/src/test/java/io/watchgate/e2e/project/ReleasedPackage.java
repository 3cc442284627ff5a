package io.watchgate.e2e.project;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Package of a release, and the commands by which a program in an empty folder gets it and runs.
 * Everything but the package comes from the public registry of its language.
 */
enum ReleasedPackage {
  GO(
      "main.go",
      """
      mkdir proxy
      tar --extract --file "$1"/watchgate-client-go-*.tgz --directory proxy
      export GOPROXY="file://$PWD/proxy,$(go env GOPROXY)" GONOSUMDB=watchgate.io
      export GOMODCACHE="$PWD/modules" GOFLAGS=-modcacherw
      go mod init example
      go get watchgate.io/client
      go build -o program .
      exec ./program
      """),
  JAVA(
      "Pods.java",
      """
      for pom in "$1"/*.pom; do
        jar=${pom%.pom}.jar
        test -e "$jar" || jar=$pom
        mvn -q -B install:install-file "-Dmaven.repo.local=$PWD/repository" "-DpomFile=$pom" "-Dfile=$jar"
      done
      version=$(basename "$1"/watchgate-client-sdk-*.pom .pom | sed 's/watchgate-client-sdk-//')
      echo "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>
        <version>1</version><dependencies><dependency><groupId>io.watchgate</groupId>
        <artifactId>watchgate-client-sdk</artifactId><version>$version</version></dependency>
        </dependencies></project>" >pom.xml
      mvn -q -B dependency:copy-dependencies "-Dmaven.repo.local=$PWD/repository"
      exec java -cp 'target/dependency/*' Pods.java
      """),
  NODE(
      "watch.mjs",
      """
      npm install "$1"/watchgate-client-[0-9]*.tgz
      exec node watch.mjs
      """),
  PYTHON(
      "watch.py",
      """
      python3 -m venv environment
      environment/bin/pip install --disable-pip-version-check "$1"/*.whl
      exec environment/bin/python watch.py
      """);

  private final String file;
  private final String commands;

  ReleasedPackage(String file, String commands) {
    this.file = file;
    this.commands = commands;
  }

  /**
   * Returns the program of the package's README, in a folder that has nothing else.
   *
   * @param release folder with the files of a release
   * @param port port of the gateway on loopback
   */
  Program readmeProgram(Path folder, Path release, int port) throws IOException {
    String readme =
        Files.readString(
            Repository.root()
                .resolve("client-sdk/" + name().toLowerCase(Locale.ROOT) + "/README.md"));
    Matcher block = Pattern.compile("```[a-z]+\n(.*?)```", Pattern.DOTALL).matcher(readme);
    if (!block.find()) {
      throw new IOException("the README of " + this + " has no program");
    }
    String source =
        block
            .group(1)
            .replace("127.0.0.1:7443", "127.0.0.1:" + port)
            .replace("\"127.0.0.1\", 7443", "\"127.0.0.1\", " + port);
    Files.writeString(folder.resolve(file), source);
    return Program.of("sh", "-euc", commands, "sh", release.toString()).in(folder);
  }
}
