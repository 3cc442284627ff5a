package io.watchgate.select;

/** The postings that one value of a field or label leads to. Not thread-safe. */
final class ValueEntry<T> {
  final byte[] value;
  final SwapRemoveList<PostingList.Link<T>> links = new SwapRemoveList<>();

  /** Of all postings together. */
  int selections;

  ValueEntry(byte[] value) {
    this.value = value;
  }
}
