package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class StoredObjectTest {
  /**
   * Cases: short forms that the JDK's parser accepts, upper-case letters, and texts that are no
   * UUIDs.
   */
  @Test
  void uid_isPreservedInAnyForm() {
    String usual = UUID.randomUUID().toString();
    List<String> uids =
        List.of(
            usual,
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "1-2-3-4-5",
            "4B1E4F2C-9D1F-4A57-A3F0-0D3C8B1D8A11",
            "4b1e4f2c-9d1f-4a57-a3f0-0d3c8b1d8a11",
            "",
            "uid-1");
    for (String uid : uids) {
      StoredObject<String> object =
          new StoredObject<>(new NamespacedName("a", "b"), uid, "1", "", null, 0);
      assertThat(object.uid()).isEqualTo(uid);
      for (String other : uids) {
        assertThat(object.isOf(other)).as("%s of %s", uid, other).isEqualTo(uid.equals(other));
      }
    }
  }
}
