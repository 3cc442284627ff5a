package io.watchgate.e2e.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A kube-apiserver with its etcd. It keeps ports, credentials and data over {@link #stop}, {@link
 * #kill} and {@link #start}; {@link #close} removes all of it. Not for several threads at once.
 */
public final class Apiserver implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Duration START_LIMIT = Duration.ofSeconds(70);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(80);

  private final Path folder;
  private final Path log;
  private final List<String> flags;
  private @Nullable ApiserverProcess process;
  private @Nullable Cluster cluster;

  private Apiserver(Path folder, Path log, List<String> flags) {
    this.folder = folder;
    this.log = log;
    this.flags = flags;
  }

  static Apiserver start(String name, List<String> flags) {
    Path target = Repository.target("apiserver");
    String unique = name + "-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    Apiserver server =
        new Apiserver(target.resolve(unique), target.resolve(unique + ".log"), flags);
    server.start();
    return server;
  }

  /** The folder with the log of every server of this run. */
  static Path logs() {
    return Repository.target("apiserver");
  }

  /** Where it serves: {@code https://127.0.0.1:PORT}; the same after a restart. */
  public URI server() {
    return URI.create(running().ready().get("server").textValue());
  }

  /** A kubeconfig with the contexts admin (the current one), admin-certificate and limited. */
  public Path kubeconfig() {
    return folder.resolve("kubeconfig");
  }

  /** The same for a proxy that stands before the server on this machine. */
  public Path kubeconfigVia(URI proxy) {
    try {
      String text = Files.readString(kubeconfig()).replace(server().toString(), proxy.toString());
      return Files.writeString(folder.resolve("kubeconfig-" + proxy.getPort()), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads and writes as a member of {@code system:masters}. */
  public Cluster cluster() {
    Cluster made = cluster;
    if (made == null) {
      made = clusterAs("admin");
      cluster = made;
    }
    return made;
  }

  /**
   * Reads and writes as one of the users that the server knows.
   *
   * @param user admin, or limited: a user without any right; the caller closes what it gets
   */
  public Cluster clusterAs(String user) {
    try (Stream<String> lines = Files.lines(folder.resolve("tokens.csv"))) {
      String[] found =
          lines
              .map(line -> line.split(","))
              .filter(fields -> fields[1].equals(user))
              .findFirst()
              .orElseThrow(() -> new NoSuchElementException("no user " + user));
      return clusterWith(found[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads and writes as whoever has this bearer token; the caller closes what it gets. */
  public Cluster clusterWith(String token) {
    return new Cluster(server(), text(Credential.AUTHORITY), token);
  }

  /** Where one of the files is that it trusts or signs with. */
  public Path file(Credential credential) {
    return folder.resolve(credential.file());
  }

  private String text(Credential credential) {
    try {
      return Files.readString(file(credential));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * It knows these users too, once it has been started anew, which this does.
   *
   * @param lines {@code token,user,uid,"group1,group2"}
   */
  public void addUsers(List<String> lines) {
    try {
      Files.write(folder.resolve("tokens.csv"), lines, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    kill();
    start();
  }

  /** Starts it, or starts it again where it was. */
  public void start() {
    if (process != null) {
      throw new IllegalStateException("it runs already");
    }
    process = ApiserverProcess.start(folder, log, flags, START_LIMIT);
  }

  /**
   * Ends it as an operator would (SIGTERM). It closes its listener at once, but open watches live
   * on for as long as its {@code --request-timeout}, 60 s if not set, and this call with them.
   */
  public void stop() {
    running().terminate(STOP_LIMIT);
    process = null;
  }

  /** Ends it at once (SIGKILL). */
  public void kill() {
    running().kill();
    process = null;
  }

  /** Lets it hang (SIGSTOP): it takes connections and answers nothing, until {@link #resume}. */
  public void pause() {
    running().signal("STOP");
  }

  /** Lets it go on after {@link #pause} (SIGCONT). */
  public void resume() {
    running().signal("CONT");
  }

  /**
   * Makes etcd forget every version before now, which is returned. A watch through the server's own
   * cache does not notice; one of a type without cache ({@code --watch-cache-sizes}), and any paged
   * list, does.
   */
  public long compact() {
    JsonNode answer = running().command("compact");
    if (!answer.has("compacted")) {
      throw new IllegalStateException("etcd was not compacted: " + answer);
    }
    return answer.get("compacted").longValue();
  }

  /** Copies what etcd holds into an empty folder; only while it is stopped. */
  public void saveData(Path to) {
    copy(etcd(), to);
  }

  /** What etcd holds is what was saved: a cluster restored from a backup. Only while stopped. */
  public void restoreData(Path from) {
    Path etcd = etcd();
    delete(etcd);
    copy(from, etcd);
  }

  private Path etcd() {
    if (process != null) {
      throw new IllegalStateException("it runs; stop it first");
    }
    return folder.resolve("etcd");
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (cluster != null) {
      cluster.close();
    }
    if (process != null) {
      kill();
    }
    delete(folder);
  }

  private ApiserverProcess running() {
    if (process == null) {
      throw new IllegalStateException("it is stopped; start it first");
    }
    return process;
  }
}
