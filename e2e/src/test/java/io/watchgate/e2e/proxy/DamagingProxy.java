package io.watchgate.e2e.proxy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.Damage.Edit;
import io.watchgate.e2e.proxy.Damage.Edited;
import io.watchgate.e2e.proxy.Damage.Ending;
import io.watchgate.e2e.proxy.Damage.Half;
import io.watchgate.e2e.proxy.Damage.Instead;
import io.watchgate.e2e.proxy.Damage.Stale;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 proxy in front of a real apiserver that damages selected answers about config maps and
 * passes on all others.
 */
public final class DamagingProxy implements AutoCloseable {
  /** Minimum age of a stale answer. */
  private static final Duration STALE = Duration.ofSeconds(1);

  /** Time within which an event that was passed on has reached the gateway. */
  private static final Duration ARRIVAL = Duration.ofMillis(300);

  private final Apiserver apiserver;
  private final PassedVersions versions = new PassedVersions();
  private final HttpsServer server;
  private final Path authority;
  private final OkHttpClient http;
  private final List<Damage> damages = new CopyOnWriteArrayList<>();
  private final Set<Call> open = ConcurrentHashMap.newKeySet();

  private DamagingProxy(Apiserver apiserver) throws IOException {
    this.apiserver = apiserver;
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    HandshakeCertificates own =
        new HandshakeCertificates.Builder().heldCertificate(certificate).build();
    String theirs = Files.readString(apiserver.kubeconfig().resolveSibling("ca.crt"));
    HandshakeCertificates trusted =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(Certificates.decodeCertificatePem(theirs))
            .build();
    this.http =
        new OkHttpClient.Builder()
            .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager())
            .readTimeout(Duration.ZERO)
            .build();
    this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    this.authority =
        apiserver.kubeconfig().resolveSibling("proxy-" + server.getAddress().getPort() + ".crt");
    Files.writeString(authority, certificate.certificatePem());
    server.setHttpsConfigurator(new HttpsConfigurator(own.sslContext()));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  /**
   * Starts the proxy.
   *
   * @param damages as in {@link #damage}
   */
  public static DamagingProxy before(Apiserver apiserver, Damage... damages) {
    try {
      DamagingProxy proxy = new DamagingProxy(apiserver);
      proxy.damage(damages);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a kubeconfig with this proxy's address and the apiserver's credentials. */
  public Path kubeconfig() {
    return kubeconfigVia(uri());
  }

  /** Returns the address. */
  public URI uri() {
    return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Returns a kubeconfig for a proxy in front of this proxy. */
  public Path kubeconfigVia(URI before) {
    Path kubeconfig = apiserver.kubeconfigVia(before);
    try {
      String text = Files.readString(kubeconfig);
      String theirs = kubeconfig.resolveSibling("ca.crt").toString();
      return Files.writeString(kubeconfig, text.replace(theirs, authority.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Damages the next answers about config maps, one after the other. */
  public void damage(Damage... next) {
    damage(List.of(next));
  }

  /** Damages the next answers about config maps, one after the other. */
  public void damage(List<Damage> next) {
    damages.addAll(next);
  }

  /** Cancels the remaining damage. */
  public void forget() {
    damages.clear();
  }

  /** Returns whether all damage is done. */
  public boolean isSpent() {
    return damages.isEmpty();
  }

  /** Waits until all damage is done, and returns false if some remains after {@code limit}. */
  public boolean awaitSpent(Duration limit) throws InterruptedException {
    long until = System.nanoTime() + limit.toNanos();
    synchronized (damages) {
      long left = limit.toNanos();
      while (!damages.isEmpty() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(damages, left);
        left = until - System.nanoTime();
      }
      return damages.isEmpty();
    }
  }

  /**
   * Ends the answers in progress, watches above all; answers that begin in the meantime are not
   * affected.
   */
  public void cut() {
    List.copyOf(open).forEach(Call::cancel);
  }

  private void answer(HttpExchange exchange) throws IOException {
    URI asked = exchange.getRequestURI();
    try (exchange) {
      switch (next(asked)) {
        case Stale _ -> {
          passOn(exchange, asOf(versions.before(STALE).orElseThrow(), asked), List::of);
          exchange.getResponseBody().close();
        }
        case Instead(Damage.Aim _, int code, String type, String body) -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.sendResponseHeaders(code, bytes.length);
          exchange.getResponseBody().write(bytes);
        }
        case Half(Damage.Aim _, Ending ending) -> {
          passOn(exchange, asked, new HalfOfTheSecond());
          if (ending == Ending.CLEAN) {
            exchange.getResponseBody().close();
          }
        }
        case Edited(Damage.Aim _, Supplier<Edit> edit) -> {
          passOn(exchange, asked, edit.get());
          exchange.getResponseBody().close();
        }
        case null -> {
          passOn(exchange, asked, isWatchOfGateway(exchange) ? versions.beginWatch() : List::of);
          exchange.getResponseBody().close();
        }
      }
    }
  }

  /** Returns the first damage that applies to such an answer. */
  private @Nullable Damage next(URI request) {
    if (!isAboutConfigMaps(request)) {
      return null;
    }
    String query = String.valueOf(request.getQuery());
    synchronized (damages) {
      Optional<Damage> meant =
          damages.stream()
              .filter(damage -> damage.aim().includes(query))
              .filter(damage -> !(damage instanceof Stale) || canBeStale())
              .findFirst();
      meant.ifPresent(damages::remove);
      damages.notifyAll();
      return meant.orElse(null);
    }
  }

  /**
   * Returns whether an old version can be named: the gateway must have a later one from the last
   * watch. Otherwise the old version would be news to it, and nothing could tell that the answer is
   * false.
   */
  private boolean canBeStale() {
    return versions.before(STALE, ARRIVAL).isPresent();
  }

  private static boolean isAboutConfigMaps(URI asked) {
    return asked.getPath().endsWith("/configmaps");
  }

  /** Returns whether it is a watch of the gateway itself, and not one that it relays. */
  private static boolean isWatchOfGateway(HttpExchange exchange) {
    URI asked = exchange.getRequestURI();
    return isAboutConfigMaps(asked)
        && String.valueOf(asked.getQuery()).contains("watch=")
        && exchange.getRequestHeaders().getFirst("User-Agent").startsWith("watchgate/");
  }

  private static URI asOf(String version, URI asked) {
    String query = asked.getRawQuery() == null ? "" : asked.getRawQuery() + "&";
    return URI.create(
        "%s?%sresourceVersion=%s&resourceVersionMatch=Exact"
            .formatted(asked.getRawPath(), query, version));
  }

  /** Passes an answer on line by line, changed by {@code edit}. */
  private void passOn(HttpExchange exchange, URI asked, Edit edit) throws IOException {
    Request.Builder request =
        new Request.Builder()
            .url(apiserver.server().resolve(asked).toString())
            .header("Accept-Encoding", "identity");
    for (String header : List.of("Authorization", "Accept", "User-Agent")) {
      String value = exchange.getRequestHeaders().getFirst(header);
      if (value != null) {
        request.header(header, value);
      }
    }
    Call call = http.newCall(request.build());
    open.add(call);
    try (Response response = call.execute()) {
      exchange
          .getResponseHeaders()
          .set("Content-Type", response.header("Content-Type", "application/json"));
      exchange.sendResponseHeaders(response.code(), 0);
      OutputStream out = exchange.getResponseBody();
      BufferedSource in = response.body().source();
      for (String line = in.readUtf8Line(); line != null; line = in.readUtf8Line()) {
        for (String edited : edit.line(line)) {
          out.write(edited.getBytes(StandardCharsets.UTF_8));
          if (edit instanceof HalfOfTheSecond half && half.isOver()) {
            out.flush();
            return;
          }
          out.write('\n');
        }
        out.flush();
      }
    } finally {
      open.remove(call);
    }
  }

  /** The answer ends after it. */
  private static final class HalfOfTheSecond implements Edit {
    private int lines;

    @Override
    public List<String> line(String line) {
      return List.of(++lines < 2 ? line : line.substring(0, line.length() / 2));
    }

    boolean isOver() {
      return lines == 2;
    }
  }

  @Override
  public void close() {
    cut();
    server.stop(0);
    http.connectionPool().evictAll();
  }
}
