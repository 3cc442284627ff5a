package io.watchgate.encode;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.HistoryId;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.select.CompiledSelection;
import java.nio.ByteBuffer;

/** Encoder and checker of the tokens of one cluster, type, selection and projection. Immutable. */
public final class SelectionTokens {
  private final HistoryId historyId;

  // Hashes of 8 bytes each. One instance encodes a token for each change of its feed.
  private final long cluster;
  private final long type;
  private final long selection;

  private SelectionTokens(HistoryId historyId, byte[] selection) {
    this.historyId = historyId;
    this.cluster = number(historyId.clusterHash());
    this.type = number(historyId.typeHash());
    this.selection = number(selection);
  }

  private static long number(byte[] hash) {
    return ByteBuffer.wrap(hash).getLong();
  }

  /**
   * Returns the tokens of a selection. The version of the type is not part of the selection hash:
   * another version is another definition, which the type hash of a token distinguishes.
   */
  public static SelectionTokens of(
      HistoryId historyId, CompiledSelection selection, ObjectProjection projection) {
    ApiResource type = historyId.definition().type();
    return new SelectionTokens(
        historyId,
        HistoryId.hash(
            "selection", type.group(), type.resource(), selection.canonical(), projection.name()));
  }

  public HistoryId historyId() {
    return historyId;
  }

  public ByteString encode(Position position) {
    byte[] token = new byte[ResumeTokenFormat.size(position)];
    write(position, ByteBuffer.wrap(token));
    return UnsafeByteOperations.unsafeWrap(token);
  }

  /** Writes {@link ResumeTokenFormat#size} bytes. */
  void write(Position position, ByteBuffer out) {
    ResumeTokenFormat.write(cluster, type, selection, position, out);
  }

  /** Returns the 8 bytes that identify selection and projection; page tokens carry them too. */
  public byte[] selectionHash() {
    return ByteBuffer.allocate(Long.BYTES).putLong(selection).array();
  }

  /**
   * Checks a token of a request.
   *
   * @throws ApiException TOKEN_MALFORMED or TOKEN_OTHER_SELECTION
   */
  public TokenCheck check(ByteString token) throws ApiException {
    return switch (ResumeTokenFormat.parse(token.toByteArray())) {
      case ResumeTokenFormat.Malformed() ->
          throw new ApiException(RequestErrors.resumeTokenMalformed(token.size()));
      case ResumeTokenFormat.OtherFormat() -> new TokenCheck.OtherFormat();
      case ResumeTokenFormat.Valid valid when valid.selection() != selection ->
          throw new ApiException(RequestErrors.resumeTokenOfOtherSelection());
      case ResumeTokenFormat.Valid valid when valid.cluster() != cluster ->
          new TokenCheck.OtherCluster();
      case ResumeTokenFormat.Valid valid when valid.type() != type ->
          new TokenCheck.OtherDefinition();
      case ResumeTokenFormat.Valid valid -> new TokenCheck.Good(valid.position());
    };
  }
}
