package io.watchgate.select;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Posting list: the selections of an index with the same index key, or without one. It is linked
 * from the entry of each of the key's values, so that a thousand selections with the same 256
 * values have 256 links, not 256,000. Not thread-safe.
 */
final class PostingList<T> {

  /** Link from the entry of a value to a posting list. */
  static final class Link<T> extends SwapRemoveList.Item {
    final PostingList<T> postingList;
    final ValueEntry<T> valueEntry;

    /** Next link to the same posting list. */
    final @Nullable Link<T> next;

    private Link(PostingList<T> postingList, ValueEntry<T> valueEntry, @Nullable Link<T> next) {
      this.postingList = postingList;
      this.valueEntry = valueEntry;
      this.next = next;
    }
  }

  /** Selection and the value it was added with. */
  static final class Entry<T> extends SwapRemoveList.Item {
    final PostingList<T> postingList;
    final CompiledSelection selection;
    final T value;

    /** True if every object found by the index key is in one of the selection's namespaces. */
    final boolean impliesNamespace;

    private Entry(PostingList<T> postingList, CompiledSelection selection, T value) {
      this.postingList = postingList;
      this.selection = selection;
      this.value = value;
      this.impliesNamespace =
          postingList.indexKey instanceof IndexKey.Field(FieldAccessor source, List<String> values)
              && source == FieldAccessor.Namespace.NAMESPACE
              && values.equals(selection.namespaces());
    }
  }

  final @Nullable IndexKey indexKey;

  final SwapRemoveList<Entry<T>> entries = new SwapRemoveList<>();

  /** First of the links to this list; usually the only one. */
  @Nullable Link<T> links;

  /** Number of the match that evaluated this list last. */
  long lastMatch;

  PostingList(@Nullable IndexKey indexKey) {
    this.indexKey = indexKey;
  }

  void link(ValueEntry<T> valueEntry) {
    Link<T> link = new Link<>(this, valueEntry, links);
    links = link;
    valueEntry.links.add(link);
  }

  Entry<T> add(CompiledSelection selection, T value) {
    Entry<T> entry = new Entry<>(this, selection, value);
    entries.add(entry);
    for (Link<T> link = links; link != null; link = link.next) {
      link.valueEntry.selections++;
    }
    return entry;
  }

  void remove(Entry<T> entry) {
    entries.remove(entry);
    for (Link<T> link = links; link != null; link = link.next) {
      link.valueEntry.selections--;
    }
  }
}
