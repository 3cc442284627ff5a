package io.watchgate.kube;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;

/** Answers by path, with 404 for other paths. Counts the requests. */
final class PathAnswers extends Dispatcher {
  private final Map<String, MockResponse> answers = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

  PathAnswers answer(String path, int code, String json) {
    answers.put(
        path,
        new MockResponse.Builder()
            .code(code)
            .setHeader("Content-Type", ApiserverStub.JSON)
            .body(json)
            .build());
    return this;
  }

  PathAnswers answer(String path, String json) {
    return answer(path, 200, json);
  }

  PathAnswers answer(String path, MockResponse response) {
    answers.put(path, response);
    return this;
  }

  /** Returns the answer to a path that has one. */
  MockResponse of(String path) {
    return Objects.requireNonNull(answers.get(path));
  }

  int count(String path) {
    return counts.computeIfAbsent(path, key -> new AtomicInteger()).get();
  }

  @Override
  public MockResponse dispatch(RecordedRequest request) {
    String path = request.getUrl().encodedPath();
    counts.computeIfAbsent(path, key -> new AtomicInteger()).incrementAndGet();
    MockResponse answer = answers.get(path);
    return answer != null
        ? answer
        : new MockResponse.Builder()
            .code(404)
            .setHeader("Content-Type", ApiserverStub.TEXT)
            .body("404 page not found\n")
            .build();
  }
}
