package io.watchgate.e2e.faults;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.watchgate.e2e.apiserver.Apiserver;
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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.BufferedSource;

/**
 * Stands before a real apiserver and passes on what it says, but for the answers about config maps
 * that are to be damaged. HTTP/1.1.
 */
final class DamagingProxy implements AutoCloseable {
  private final Apiserver apiserver;
  private final HttpsServer server;
  private final Path authority;
  private final OkHttpClient http;
  private final Queue<Damage> damages = new ConcurrentLinkedQueue<>();
  private final Set<Call> open = ConcurrentHashMap.newKeySet();

  /** What is done to one answer. */
  sealed interface Damage {
    /** Another answer in its place. */
    record Instead(int code, String contentType, String body) implements Damage {}

    /** It ends inside its second line, an object of a watch. */
    record Half(Ending ending) implements Damage {}
  }

  /** How half an answer ends. */
  enum Ending {
    /** As if it were whole. */
    CLEAN,
    CONNECTION_CUT
  }

  private DamagingProxy(Apiserver apiserver) throws IOException {
    this.apiserver = apiserver;
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    this.authority = apiserver.kubeconfig().resolveSibling("proxy.crt");
    Files.writeString(authority, certificate.certificatePem());
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
    server.setHttpsConfigurator(new HttpsConfigurator(own.sslContext()));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  static DamagingProxy before(Apiserver apiserver) {
    try {
      return new DamagingProxy(apiserver);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Leads here, with the credentials that the apiserver knows. */
  Path kubeconfig() {
    URI here = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    Path kubeconfig = apiserver.kubeconfigVia(here);
    try {
      String text = Files.readString(kubeconfig);
      String theirs = kubeconfig.resolveSibling("ca.crt").toString();
      return Files.writeString(kubeconfig, text.replace(theirs, authority.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next answers about config maps are damaged so, one after the other. */
  void damage(Damage... next) {
    damages.addAll(List.of(next));
  }

  /** Whether all damage is done. */
  boolean isSpent() {
    return damages.isEmpty();
  }

  /** Ends the answers that are under way, watches above all. */
  void cut() {
    open.forEach(Call::cancel);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean configMaps = exchange.getRequestURI().getPath().endsWith("/configmaps");
      switch (configMaps ? damages.poll() : null) {
        case Damage.Instead(int code, String type, String body) -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.sendResponseHeaders(code, bytes.length);
          exchange.getResponseBody().write(bytes);
        }
        case Damage.Half(Ending ending) -> {
          passOn(exchange, 1);
          if (ending == Ending.CLEAN) {
            exchange.getResponseBody().close();
          }
        }
        case null -> {
          passOn(exchange, Integer.MAX_VALUE);
          exchange.getResponseBody().close();
        }
      }
    }
  }

  /** Passes on so many lines and half of the next. */
  private void passOn(HttpExchange exchange, int lines) throws IOException {
    Request.Builder request =
        new Request.Builder()
            .url(apiserver.server().resolve(exchange.getRequestURI()).toString())
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
      int passed = 0;
      for (String line = in.readUtf8Line(); line != null; line = in.readUtf8Line()) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        boolean whole = passed++ < lines;
        out.write(bytes, 0, whole ? bytes.length : bytes.length / 2);
        out.flush();
        if (!whole) {
          return;
        }
      }
    } finally {
      open.remove(call);
    }
  }

  @Override
  public void close() {
    cut();
    server.stop(0);
    http.connectionPool().evictAll();
  }
}
