package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Replay of several hundred recorded writes in sequence. The sandbox must respond like a
 * kube-apiserver 1.36: the same code, the same object except for assigned values, and the same
 * error. Errors must match word for word, unless the recording excludes that.
 */
final class RecordedWritesTest {
  @TestFactory
  Stream<DynamicTest> answersAsARecordedApiserver() {
    SandboxUnderTest sandbox = new SandboxUnderTest();
    return Recorded.all().stream()
        .map(
            recorded ->
                DynamicTest.dynamicTest(recorded.toString(), () -> check(sandbox, recorded)))
        .onClose(sandbox::close);
  }

  private static void check(SandboxUnderTest sandbox, Recorded recorded) {
    int code;
    JsonObject answer;
    try {
      WriteBackend.Answer answered =
          sandbox.answer(recorded.method(), recorded.path(), recorded.body(), recorded.media());
      code = answered.code();
      answer = SandboxUnderTest.parse(answered.object());
    } catch (StatusException e) {
      code = e.code();
      answer = e.status();
    }
    assertThat(code).as("%s", answer).isEqualTo(recorded.code());
    if (recorded.words() == Recorded.Words.SAME && code != 404 && code != 405) {
      assertThat(Recorded.masked(answer)).isEqualTo(Recorded.masked(recorded.answer()));
    } else if (recorded.answer() instanceof JsonObject expected && code >= 400) {
      assertThat(JsonTree.text(answer, "reason")).isEqualTo(JsonTree.text(expected, "reason"));
      if (recorded.words() == Recorded.Words.SAME) {
        assertThat(JsonTree.text(answer, "message")).isEqualTo(JsonTree.text(expected, "message"));
      }
    }
  }
}
