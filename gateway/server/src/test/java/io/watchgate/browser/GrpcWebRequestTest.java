package io.watchgate.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.grpc.CallStarter;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Tests of the bounds of reading a body. */
final class GrpcWebRequestTest {
  /** Body without an end, which counts the bytes that are read. */
  private static final class Endless extends InputStream {
    private long count;

    @Override
    public int read() {
      count++;
      return 0;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      count += length;
      return length;
    }
  }

  @Test
  void bodyWithoutEnd_isDiscardedUpToTheBound() throws Exception {
    byte[] head = ByteBuffer.allocate(GrpcWebOutput.FRAME_HEAD).putInt(1, -1).array();
    Endless rest = new Endless();

    GrpcWebRequest request =
        GrpcWebRequest.read(new SequenceInputStream(new ByteArrayInputStream(head), rest));

    int kept = CallStarter.MAX_REQUEST_BYTES + 1;
    assertThat(request.message().readAllBytes()).hasSize(kept);
    assertThat(rest.count).isEqualTo((long) kept + GrpcWebRequest.MAX_DISCARDED_BYTES);
  }
}
