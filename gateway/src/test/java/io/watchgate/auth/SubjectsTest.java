package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a binding concerns, and nobody else. */
final class SubjectsTest {
  private static final Identity ANN = Identity.of("ann", "", List.of("team"));
  private static final Identity BOB = Identity.of("bob", "", List.of());
  private static final Identity ACCOUNT =
      Identity.of("system:serviceaccount:shop:ann", "", List.of("system:serviceaccounts"));

  private static Subjects of(String subjects) {
    return Subjects.of(JsonParser.parseString("{\"subjects\":" + subjects + "}").getAsJsonObject());
  }

  @Test
  void usersGroupsAndAccountsAreToldApart() {
    Subjects user = of("[{\"kind\":\"User\",\"name\":\"ann\"}]");
    Subjects group = of("[{\"kind\":\"Group\",\"name\":\"team\"}]");
    Subjects account =
        of("[{\"kind\":\"ServiceAccount\",\"namespace\":\"shop\",\"name\":\"ann\"}]");

    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(user::concern).containsExactly(ANN);
    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(group::concern).containsExactly(ANN);
    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(account::concern).containsExactly(ACCOUNT);
    assertThat(List.of(ANN, BOB, ACCOUNT))
        .filteredOn(account.and(user)::concern)
        .containsExactly(ANN, ACCOUNT);
  }

  @Test
  void theGroupOfAllConcernsAll() {
    Subjects all = of("[{\"kind\":\"Group\",\"name\":\"system:authenticated\"}]");

    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(all::concern);
    assertThat(all.concern(Identity.ANONYMOUS)).isFalse();
  }

  @Test
  void whoNobodyIsNamedConcernsNobody() {
    assertThat(List.of(ANN, BOB, ACCOUNT)).noneMatch(of("[]")::concern);
    assertThat(Subjects.of(JsonParser.parseString("{}").getAsJsonObject()))
        .isEqualTo(Subjects.NOBODY);
  }

  /** Rather a question too many than one too few. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "[1]", "[{\"kind\":\"Robot\",\"name\":\"r2\"}]", "\"ann\""})
  void whatIsNotUnderstoodConcernsEverybody(String subjects) {
    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(of(subjects)::concern);
    assertThat(of(subjects).and(Subjects.NOBODY)).isEqualTo(Subjects.EVERYBODY);
    assertThat(Subjects.NOBODY.and(of(subjects))).isEqualTo(Subjects.EVERYBODY);
  }
}
