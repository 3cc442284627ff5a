package io.watchgate.select;

/** The postings that one value of a field or label leads to. Not thread-safe. */
final class Bucket<T> {
  final byte[] value;
  final Bag<Posting.Link<T>> links = new Bag<>();

  /** Of all postings together. */
  int selections;

  Bucket(byte[] value) {
    this.value = value;
  }
}
