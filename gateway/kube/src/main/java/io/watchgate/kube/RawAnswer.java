package io.watchgate.kube;

import java.io.InputStream;
import okhttp3.Call;
import okhttp3.Response;

/**
 * Answer whose body is read without any limit of time, for tools that watch beside a gateway
 * ({@link RawApiClient#open}). One thread reads it, any thread may close it.
 */
public final class RawAnswer implements AutoCloseable {
  private final Call call;
  private final Response response;

  RawAnswer(Call call, Response response) {
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
