package io.watchgate.kube;

import java.io.InputStream;
import okhttp3.Call;
import okhttp3.Response;

/** Open answer of {@link RawApiClient}. One thread reads it, any thread may close it. */
public final class ResponseStream implements AutoCloseable {
  private final Call call;
  private final Response response;

  ResponseStream(Call call, Response response) {
    this.call = call;
    this.response = response;
  }

  /** Returns the bytes of the answer; reads fail with an IOException once it is closed. */
  public InputStream body() {
    return response.body().byteStream();
  }

  /** Ends the answer at once. */
  @Override
  public void close() {
    call.cancel();
  }
}
