package io.watchgate.select;

/** Links of one value of a field or label to its posting lists. Not thread-safe. */
final class ValueEntry<T> {
  final byte[] value;
  final SwapRemoveList<PostingList.Link<T>> links = new SwapRemoveList<>();

  /** Number of selections of all linked posting lists together. */
  int selections;

  ValueEntry(byte[] value) {
    this.value = value;
  }
}
