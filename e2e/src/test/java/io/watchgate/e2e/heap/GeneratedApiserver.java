package io.watchgate.e2e.heap;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.watchgate.e2e.faults.Command;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Apiserver stub that stores only a version number for each object and generates the object on each
 * list and event: 80,000 objects need less than a megabyte. It lists in pages, watches from any
 * version since its start, and sends bookmarks. All types are in the core group and in one
 * namespace.
 */
final class GeneratedApiserver implements AutoCloseable {
  private static final int BOOKMARK_MILLIS = 1_000;

  private final Map<String, Type> types = new LinkedHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private long version = 1_000;

  /** Objects of one resource type. Guarded by the server. */
  private static final class Type {
    final String kind;
    final int bytes;

    /** Version of the last write of each object, by index. */
    final List<Long> versions = new ArrayList<>();

    /** Events in order. */
    final List<Event> events = new ArrayList<>();

    /** Lists that are being read in pages. */
    final Map<Long, List<Long>> lists = new HashMap<>();

    Type(String kind, int bytes) {
      this.kind = kind;
      this.bytes = bytes;
    }
  }

  private record Event(long version, int index, String type) {}

  GeneratedApiserver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Writes a kubeconfig for the server. */
  Path kubeconfig(Path folder) throws IOException {
    return Command.kubeconfig(uri(), folder);
  }

  /** Serves a type with {@code objects} objects of about {@code bytes} bytes each. */
  synchronized void serve(String resource, String kind, int objects, int bytes) {
    Type type = new Type(kind, bytes);
    for (int i = 0; i < objects; i++) {
      type.versions.add(++version);
    }
    types.put(resource, type);
  }

  /** Creates one more object. */
  synchronized void create(String resource) {
    Type type = Objects.requireNonNull(types.get(resource));
    type.versions.add(++version);
    type.events.add(new Event(version, type.versions.size() - 1, "ADDED"));
    notifyAll();
  }

  /** Changes an object. */
  synchronized void modify(String resource, int index) {
    Type type = Objects.requireNonNull(types.get(resource));
    type.versions.set(index, ++version);
    type.events.add(new Event(version, index, "MODIFIED"));
    notifyAll();
  }

  /** Returns name and version of each object. */
  synchronized Map<String, String> objects(String resource) {
    List<Long> versions = Objects.requireNonNull(types.get(resource)).versions;
    Map<String, String> objects = new HashMap<>();
    for (int i = 0; i < versions.size(); i++) {
      objects.put(name(i), Long.toString(versions.get(i)));
    }
    return objects;
  }

  private static String name(int index) {
    return "o-%07d".formatted(index);
  }

  private static byte[] object(Type type, int index, long version) {
    String padding = "x".repeat(Math.max(0, type.bytes - 200));
    return """
    {"kind":"%s","apiVersion":"v1","metadata":{"name":"%s","namespace":"n","uid":"u-%d",\
    "resourceVersion":"%d","labels":{"part":"%d"}},"data":{"padding":"%s"}}\
    """
        .formatted(type.kind, name(index), index, version, index % 10, padding)
        .getBytes(StandardCharsets.UTF_8);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      Map<String, String> query = query(exchange.getRequestURI());
      String resource = path.substring(path.lastIndexOf('/') + 1);
      Type type;
      synchronized (this) {
        type = path.startsWith("/api/v1/") ? types.get(resource) : null;
      }
      if (type == null) {
        discovery(exchange, path);
      } else if (query.containsKey("sendInitialEvents")) {
        status(exchange, 422, "Invalid");
      } else if (query.containsKey("watch")) {
        watch(exchange, type, query);
      } else if (query.containsKey("resourceVersionMatch")) {
        status(exchange, 410, "Expired");
      } else {
        list(exchange, type, query);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Map<String, String> query(URI uri) {
    String text = uri.getQuery() == null ? "" : uri.getQuery();
    return List.of(text.split("&", -1)).stream()
        .collect(
            Collectors.toMap(
                part -> part.split("=", 2)[0],
                part -> part.contains("=") ? part.split("=", 2)[1] : "",
                (a, b) -> b));
  }

  private synchronized String resources() {
    return types.entrySet().stream()
        .map(
            entry ->
                "{\"name\":\"%s\",\"singularName\":\"\",\"namespaced\":true,\"kind\":\"%s\",\"verbs\":[\"list\",\"watch\"]}"
                    .formatted(entry.getKey(), entry.getValue().kind))
        .collect(Collectors.joining(","));
  }

  private void discovery(HttpExchange exchange, String path) throws IOException {
    switch (path) {
      case "/api" -> send(exchange, 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
      case "/apis" -> send(exchange, 200, "{\"kind\":\"APIGroupList\",\"groups\":[]}");
      case "/api/v1" ->
          send(
              exchange,
              200,
              "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":["
                  + resources()
                  + "]}");
      default -> status(exchange, 404, "NotFound");
    }
  }

  private static void status(HttpExchange exchange, int code, String reason) throws IOException {
    send(
        exchange,
        code,
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,\"reason\":\"%s\"}"
            .formatted(code, reason));
  }

  private static void send(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void list(HttpExchange exchange, Type type, Map<String, String> query)
      throws IOException {
    long at;
    int from = 0;
    List<Long> versions;
    synchronized (this) {
      String token = query.getOrDefault("continue", "");
      if (token.isEmpty()) {
        at = version;
        versions = List.copyOf(type.versions);
      } else {
        at = Long.parseLong(token.split("-", 2)[0]);
        from = Integer.parseInt(token.split("-", 2)[1]);
        versions = Objects.requireNonNull(type.lists.get(at));
      }
      int to = Math.min(versions.size(), from + limit(query));
      if (to < versions.size() && limit(query) > 1) {
        type.lists.put(at, versions);
      } else {
        type.lists.remove(at);
      }
    }
    int to = Math.min(versions.size(), from + limit(query));
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)) {
      write(
          out,
          "{\"kind\":\"%sList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%d\",\"continue\":\"%s\"},\"items\":["
              .formatted(type.kind, at, to < versions.size() ? at + "-" + to : ""));
      for (int i = from; i < to; i++) {
        write(out, i == from ? "" : ",");
        out.write(object(type, i, versions.get(i)));
      }
      write(out, "]}");
    }
  }

  private static int limit(Map<String, String> query) {
    return Integer.parseInt(query.getOrDefault("limit", "1000000000"));
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private void watch(HttpExchange exchange, Type type, Map<String, String> query)
      throws IOException, InterruptedException {
    long from = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
    long until =
        System.nanoTime()
            + Long.parseLong(query.getOrDefault("timeoutSeconds", "300")) * 1_000_000_000L;
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    int next;
    synchronized (this) {
      next = type.events.size();
      while (next > 0 && type.events.get(next - 1).version() > from) {
        next--;
      }
    }
    try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)) {
      out.flush();
      while (System.nanoTime() - until < 0) {
        List<Event> newer;
        long now;
        synchronized (this) {
          if (next == type.events.size()) {
            wait(BOOKMARK_MILLIS);
          }
          int end = Math.min(type.events.size(), next + 1_000);
          newer = List.copyOf(type.events.subList(next, end));
          now = end == type.events.size() ? version : newer.getLast().version();
          next = end;
        }
        for (Event event : newer) {
          write(out, "{\"type\":\"" + event.type() + "\",\"object\":");
          out.write(object(type, event.index(), event.version()));
          write(out, "}\n");
        }
        if (newer.isEmpty()) {
          write(
              out,
              "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%d\"}}}\n"
                  .formatted(type.kind, now));
        }
        out.flush();
      }
    } catch (IOException e) {
      // The gateway ended the watch.
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
