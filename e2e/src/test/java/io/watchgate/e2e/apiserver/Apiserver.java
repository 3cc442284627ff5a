package io.watchgate.e2e.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Kube-apiserver with its etcd. It keeps ports, credentials and data over {@link #stop}, {@link
 * #kill} and {@link #start}; {@link #close} deletes everything. Not thread-safe.
 */
public final class Apiserver implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(3);

  private static final String AUDIT_POLICY =
      """
      apiVersion: audit.k8s.io/v1
      kind: Policy
      rules: [{level: Metadata}]
      """;

  private static final Pattern TOKEN = Pattern.compile("token: (\\S+)");

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
    return start(unique(name), flags.stream());
  }

  /** Starts a server with an audit log of all requests. */
  static Apiserver startAudited(String name, List<String> flags) {
    Path files = unique(name);
    Path policy = files.resolveSibling(files.getFileName() + "-audit.yaml");
    try {
      Files.writeString(policy, AUDIT_POLICY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Stream<String> auditing =
        Stream.of("--audit-policy-file=" + policy, "--audit-log-path=" + auditLog(files));
    return start(files, Stream.concat(flags.stream(), auditing));
  }

  private static Path unique(String name) {
    return logs()
        .resolve(name + "-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet());
  }

  private static Apiserver start(Path folder, Stream<String> flags) {
    Path log = folder.resolveSibling(folder.getFileName() + ".log");
    Apiserver server = new Apiserver(folder, log, flags.toList());
    server.start();
    return server;
  }

  private static Path auditLog(Path folder) {
    return folder.resolveSibling(folder.getFileName() + "-audit.log");
  }

  /** Returns the lines of the audit log so far; the server must be an audited one. */
  public List<JsonNode> auditLog() {
    try (Stream<String> lines = Files.lines(auditLog(folder))) {
      return lines.filter(line -> line.endsWith("}")).map(Json::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the folder with the logs of all servers of this run. */
  static Path logs() {
    return Repository.target("apiserver");
  }

  /** Returns the address: {@code https://127.0.0.1:PORT}; the same after a restart. */
  public URI server() {
    return URI.create(running().ready().get("server").textValue());
  }

  /**
   * Returns a kubeconfig with the contexts admin (the current one), admin-certificate and limited.
   */
  public Path kubeconfig() {
    return folder.resolve("kubeconfig");
  }

  /** Returns the token of the kubeconfig's current context, of an administrator. */
  public String token() {
    try {
      Matcher token = TOKEN.matcher(Files.readString(kubeconfig()));
      if (!token.find()) {
        throw new IllegalStateException("no token in " + kubeconfig());
      }
      return token.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a kubeconfig for a local proxy in front of the server. */
  public Path kubeconfigVia(URI proxy) {
    try {
      String text = Files.readString(kubeconfig()).replace(server().toString(), proxy.toString());
      return Files.writeString(folder.resolve("kubeconfig-" + proxy.getPort()), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a kubeconfig with the token of another user, see {@link #addUsers}. */
  public Path kubeconfigWith(String token) {
    try {
      String text = Files.readString(kubeconfig()).replace(token(), token);
      return Files.writeString(folder.resolve("kubeconfig-" + token), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a client of a member of {@code system:masters}. */
  public Cluster cluster() {
    Cluster made = cluster;
    if (made == null) {
      made = clusterAs("admin");
      cluster = made;
    }
    return made;
  }

  /**
   * Returns a client of one of the server's users.
   *
   * @param user admin, or limited: a user without any right; the caller closes the client
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

  /** Returns a client with a bearer token; the caller closes the client. */
  public Cluster clusterWith(String token) {
    return new Cluster(server(), text(Credential.AUTHORITY), token);
  }

  /** Returns the path of a file that the server trusts or signs with. */
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
   * Adds users and restarts the server to load them.
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

  /** Returns the running process, for its CPU time. */
  public ProcessHandle process() {
    return running().handle();
  }

  /** Starts the server, or restarts it with the same ports and data. */
  public void start() {
    if (process != null) {
      throw new IllegalStateException("it runs already");
    }
    process = ApiserverProcess.start(folder, log, flags, START_LIMIT);
  }

  /**
   * Stops the server as an operator would (SIGTERM). It closes its listener immediately, but open
   * watches, and so this call, last for its {@code --request-timeout}: 60 s without {@link
   * OwnApiserver#STOPS_SOON}.
   */
  public void stop() {
    running().terminate(STOP_LIMIT);
    process = null;
  }

  /** Kills the server (SIGKILL). */
  public void kill() {
    running().kill();
    process = null;
  }

  /**
   * Suspends the server (SIGSTOP): it accepts connections and answers nothing until {@link
   * #resume}.
   */
  public void pause() {
    running().signal("STOP");
  }

  /** Resumes the server after {@link #pause} (SIGCONT). */
  public void resume() {
    running().signal("CONT");
  }

  /**
   * Compacts etcd to the current version and returns that version. A watch through the server's
   * watch cache is not affected. A watch of a type without cache ({@code --watch-cache-sizes}) and
   * any paged list are.
   */
  public long compact() {
    JsonNode answer = running().command("compact");
    if (!answer.has("compacted")) {
      throw new IllegalStateException("etcd was not compacted: " + answer);
    }
    return answer.get("compacted").longValue();
  }

  /** Copies etcd's data into an empty folder; only while the server is stopped. */
  public void saveData(Path to) {
    copy(etcd(), to);
  }

  /**
   * Replaces etcd's data with saved data: a cluster restored from a backup. Only while the server
   * is stopped.
   */
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
