package io.watchgate.select;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hash tables of an index, by field or label, then by value. Contains only fields and labels that
 * some selection is indexed by. Not thread-safe.
 */
final class IndexTables<T> {

  /** Value entries of a field. */
  record Values<T>(FieldAccessor source, ByteTable<ValueEntry<T>> entries) {}

  /** A type has at most about a dozen selectable fields. */
  final List<Values<T>> fields = new ArrayList<>();

  final ByteTable<ByteTable<ValueEntry<T>>> labels = new ByteTable<>();

  /** Returns the number of selections under the values of this index key. */
  int selectionCount(IndexKey key) {
    ByteTable<ValueEntry<T>> table = table(key);
    int load = 0;
    if (table != null) {
      for (String value : key.values()) {
        ValueEntry<T> entry = table.get(utf8(value));
        load += entry == null ? 0 : entry.selections;
      }
    }
    return load;
  }

  /** Opens a posting list that is linked from the entries of all values of this index key. */
  PostingList<T> open(IndexKey key) {
    ByteTable<ValueEntry<T>> table = table(key);
    if (table == null) {
      table = new ByteTable<>();
      switch (key) {
        case IndexKey.Field(FieldAccessor source, var _) -> fields.add(new Values<>(source, table));
        case IndexKey.Label(String label, var _) -> labels.put(utf8(label), table);
      }
    }
    PostingList<T> posting = new PostingList<>(key);
    for (String text : key.values()) {
      byte[] value = utf8(text);
      ValueEntry<T> entry = table.get(value);
      if (entry == null) {
        entry = new ValueEntry<>(value);
        table.put(value, entry);
      }
      posting.link(entry);
    }
    return posting;
  }

  /** Removes a posting list, and the entries and tables that become empty. */
  void close(IndexKey key, PostingList<T> posting) {
    ByteTable<ValueEntry<T>> table = table(key);
    if (table == null) {
      throw new IllegalStateException("a posting list that no entry leads to");
    }
    for (PostingList.Link<T> link = posting.links; link != null; link = link.next) {
      link.valueEntry.links.remove(link);
      if (link.valueEntry.links.size() == 0) {
        table.remove(link.valueEntry.value);
      }
    }
    if (table.size() == 0) {
      switch (key) {
        case IndexKey.Field(FieldAccessor source, var _) ->
            fields.removeIf(values -> values.source.equals(source));
        case IndexKey.Label(String label, var _) -> labels.remove(utf8(label));
      }
    }
  }

  /** Returns the number of allocated reference slots. */
  long slots() {
    long[] sum = {labels.capacity() + fields.size()};
    Consumer<ByteTable<ValueEntry<T>>> table =
        entries -> {
          sum[0] += entries.capacity();
          entries.forEach(entry -> sum[0] += entry.links.capacity());
        };
    labels.forEach(table);
    fields.forEach(values -> table.accept(values.entries));
    return sum[0];
  }

  private @Nullable ByteTable<ValueEntry<T>> table(IndexKey key) {
    return switch (key) {
      case IndexKey.Field(FieldAccessor source, var _) -> {
        for (Values<T> values : fields) {
          if (values.source.equals(source)) {
            yield values.entries;
          }
        }
        yield null;
      }
      case IndexKey.Label(String label, var _) -> labels.get(utf8(label));
    };
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
