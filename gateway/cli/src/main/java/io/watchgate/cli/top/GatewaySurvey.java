package io.watchgate.cli.top;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Answers of several replicas to the same questions at about the same time. A replica that does not
 * answer is part of the result, with the reason. Thread-safe.
 */
public final class GatewaySurvey implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(6);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final List<String> addresses;
  private final Supplier<Optional<String>> token;

  /**
   * @param addresses {@code HOST:PORT} of the pages of each replica
   * @param token bearer token to send, read for each round; it throws UncheckedIOException
   */
  public GatewaySurvey(List<String> addresses, Supplier<Optional<String>> token) {
    this.addresses = List.copyOf(addresses);
    this.token = token;
  }

  /** Answer of one replica: its status and the page of its streams, or why there is none. */
  private record Answer(String address, JsonObject status, JsonObject streams, String error) {}

  /**
   * Asks all replicas once.
   *
   * @param query parameters of the page of streams, such as {@code sort=behind&limit=20}
   * @param limit rows of streams of all replicas together
   * @return {@code time}, {@code total}, {@code replicas} and {@code streams}; each replica has its
   *     {@code address}, and {@code error} in place of its status if it does not answer
   */
  public JsonObject ask(String query, StreamSort sort, int limit) {
    List<CompletableFuture<Answer>> requests =
        addresses.stream().map(address -> ask(address, query)).toList();
    List<Answer> answers = requests.stream().map(CompletableFuture::join).toList();
    JsonArray replicas = new JsonArray();
    List<JsonObject> rows = new ArrayList<>();
    int total = 0;
    for (Answer answer : answers) {
      JsonObject replica = new JsonObject();
      replica.addProperty("address", answer.address);
      answer.status.entrySet().forEach(member -> replica.add(member.getKey(), member.getValue()));
      replica.addProperty("error", answer.error);
      replicas.add(replica);
      if (answer.streams.has("total")) {
        total += answer.streams.get("total").getAsInt();
        for (JsonElement element : answer.streams.getAsJsonArray("streams")) {
          JsonObject row = new JsonObject();
          row.addProperty("replica", answer.address);
          element
              .getAsJsonObject()
              .entrySet()
              .forEach(cell -> row.add(cell.getKey(), cell.getValue()));
          rows.add(row);
        }
      }
    }
    rows.sort(sort.comparator());
    JsonObject result = new JsonObject();
    result.addProperty("time", Instant.now().toString());
    result.addProperty("total", total);
    result.add("replicas", replicas);
    JsonArray shown = new JsonArray();
    rows.stream().limit(limit).forEach(shown::add);
    result.add("streams", shown);
    return result;
  }

  private CompletableFuture<Answer> ask(String address, String query) {
    CompletableFuture<JsonObject> status = get(address, "/statusz");
    CompletableFuture<JsonObject> streams = get(address, "/debug/streams?" + query);
    return status
        .thenCombine(streams, (known, rows) -> new Answer(address, known, rows, ""))
        .exceptionally(
            failure -> new Answer(address, new JsonObject(), new JsonObject(), reason(failure)));
  }

  private CompletableFuture<JsonObject> get(String address, String path) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://" + address + path))
              .timeout(TIMEOUT)
              .header("Accept", "application/json");
      token.get().ifPresent(text -> request.header("Authorization", "Bearer " + text));
      return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
          .thenApply(GatewaySurvey::content);
    } catch (UncheckedIOException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static JsonObject content(HttpResponse<String> response) {
    String body = response.body();
    if (response.statusCode() != 200) {
      throw new UncheckedIOException(
          new IOException(response.statusCode() + ": " + body.lines().findFirst().orElse("")));
    }
    try {
      return JsonParser.parseString(body).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      throw new UncheckedIOException(
          new IOException("the answer is no page of a gateway; --server takes --http-listen", e));
    }
  }

  /** Returns the reason for which a page was not read, as a person reads it. */
  public static String reason(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ProtocolException) {
        return "the answer is no HTTP: --server takes the address of --http-listen, by default port"
            + " 9443";
      }
    }
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof UncheckedIOException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case ConnectException _ -> "nothing answers there";
      case HttpTimeoutException _ -> "no answer within " + TIMEOUT.toSeconds() + " s";
      default ->
          cause.getMessage() == null
              ? "the connection failed: " + cause.getClass().getSimpleName()
              : cause.getMessage();
    };
  }

  /** Ends open requests, too: a person who quits does not wait for a gateway. */
  @Override
  public void close() {
    http.shutdownNow();
  }
}
