package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.json.KubeObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StateDigestTest {

  private static StateDigest of(List<KubeObject> objects) {
    StateDigest digest = StateDigest.EMPTY;
    for (KubeObject object : objects) {
      digest = digest.plus(object);
    }
    return digest;
  }

  @Test
  void digest_isIndependentOfOrder() {
    List<KubeObject> objects = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      objects.add(SampleObject.of("a", "n" + i, i + 1).view());
    }
    StateDigest digest = of(objects);
    Collections.shuffle(objects, new Random(7));
    assertThat(of(objects)).isEqualTo(digest);
  }

  @Test
  void updatedDigest_equalsRecomputedDigest() {
    Random random = new Random(11);
    List<KubeObject> objects = new ArrayList<>();
    StateDigest digest = StateDigest.EMPTY;
    for (int i = 1; i < 5_000; i++) {
      if (!objects.isEmpty() && random.nextBoolean()) {
        digest = digest.minus(objects.remove(random.nextInt(objects.size())));
      } else {
        KubeObject added = SampleObject.of("a", "n" + i, i).view();
        objects.add(added);
        digest = digest.plus(added);
      }
    }
    assertThat(digest).isEqualTo(of(objects)).isNotEqualTo(StateDigest.EMPTY);
    for (KubeObject object : objects) {
      digest = digest.minus(object);
    }
    assertThat(digest).isEqualTo(StateDigest.EMPTY);
  }

  @Test
  void digest_dependsOnIdentityOnly() {
    SampleObject object = SampleObject.of("ab", "c", 12).uid("3");
    Set<StateDigest> digests = new HashSet<>();
    for (SampleObject other :
        List.of(
            object,
            SampleObject.of("a", "bc", 12).uid("3"),
            SampleObject.of("", "ab", 12).uid("3"),
            object.uid("31").at(2),
            object.uid("4"),
            object.at(13),
            object.at(1).uid("23"))) {
      digests.add(StateDigest.EMPTY.plus(other.view()));
    }
    assertThat(digests).hasSize(7);
    assertThat(StateDigest.EMPTY.plus(object.padding(100).app("x").view()))
        .isEqualTo(StateDigest.EMPTY.plus(object.view()));
  }

  @Test
  void change_removesOldAndAddsNewObject() {
    SampleObject web = SampleObject.of("default", "web", 12).uid("3");
    StateDigest before = StateDigest.EMPTY.plus(SampleObject.of("default", "db", 7).view());
    for (SampleObject next :
        List.of(
            web.at(13), web.at(13).uid("4"), SampleObject.of("default", "other", 13).uid("3"))) {
      KubeObject now = next.view();
      StateDigest after = before.plus(web.view()).after(new Change(web.view(), now));
      assertThat(after).isEqualTo(before.plus(next.view()));
      assertThat(after.after(new Change(now, next.at(14).view())))
          .isEqualTo(before.plus(next.at(14).view()));
      assertThat(after.after(new Change(now, null))).isEqualTo(before);
      assertThat(before.after(new Change(null, now))).isEqualTo(after);
    }
  }

  /** Tokens of replicas of other versions contain the digest. */
  @Test
  void digest_isStableAcrossVersions() {
    assertThat(StateDigest.EMPTY.plus(SampleObject.of("default", "web", 4711).view()))
        .isEqualTo(new StateDigest(5537988868342184674L, -7046302756630873771L));
  }

  @Test
  void digestBytes_areReadBack() {
    StateDigest digest = new StateDigest(-1, 0x0123456789abcdefL);
    ByteBuffer bytes = ByteBuffer.allocate(StateDigest.BYTES);
    digest.write(bytes);
    assertThat(bytes.remaining()).isZero();
    assertThat(StateDigest.read(bytes.flip())).isEqualTo(digest);
  }
}
