package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameListener;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Settings;

/**
 * Listener of a client's frames. It reports to the lane each stream that begins and each change of
 * a window. It passes all frames on to gRPC, except pings that gRPC would misjudge ({@link
 * PingFilter}).
 */
final class LaneFrameListener extends Http2FrameListenerDecorator {
  private final ConnectionLane lane;

  LaneFrameListener(Http2FrameListener grpc, ConnectionLane lane) {
    super(grpc);
    this.lane = lane;
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    lane.beginHeaders(stream);
    try {
      super.onHeadersRead(context, stream, headers, padding, end);
    } finally {
      lane.endHeaders();
    }
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    lane.beginHeaders(stream);
    try {
      super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, end);
    } finally {
      lane.endHeaders();
    }
  }

  /** Called when the windows are changed already. */
  @Override
  public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
      throws Http2Exception {
    super.onSettingsRead(context, settings);
    lane.onSettings();
  }

  /** Called when the window is changed already. */
  @Override
  public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int increment)
      throws Http2Exception {
    super.onWindowUpdateRead(context, stream, increment);
    lane.onWindowUpdate(stream);
  }

  /** Called when Netty has answered the ping. */
  @Override
  public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
    if (lane.pings().shouldPass()) {
      super.onPingRead(context, data);
    }
  }
}
