package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a binding affects its subjects, and no others. */
final class AffectedSubjectsTest {
  private static final UserInfo ANN = UserInfo.of("ann", "", List.of("team"));
  private static final UserInfo BOB = UserInfo.of("bob", "", List.of());
  private static final UserInfo ACCOUNT =
      UserInfo.of("system:serviceaccount:shop:ann", "", List.of("system:serviceaccounts"));

  private static AffectedSubjects of(String subjects) {
    return AffectedSubjects.of(
        JsonParser.parseString("{\"subjects\":" + subjects + "}").getAsJsonObject());
  }

  @Test
  void usersGroupsAndAccountsAreToldApart() {
    AffectedSubjects user = of("[{\"kind\":\"User\",\"name\":\"ann\"}]");
    AffectedSubjects group = of("[{\"kind\":\"Group\",\"name\":\"team\"}]");
    AffectedSubjects account =
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
    AffectedSubjects all = of("[{\"kind\":\"Group\",\"name\":\"system:authenticated\"}]");

    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(all::concern);
    assertThat(all.concern(UserInfo.ANONYMOUS)).isFalse();
  }

  @Test
  void whoNobodyIsNamedConcernsNobody() {
    assertThat(List.of(ANN, BOB, ACCOUNT)).noneMatch(of("[]")::concern);
    assertThat(AffectedSubjects.of(JsonParser.parseString("{}").getAsJsonObject()))
        .isEqualTo(AffectedSubjects.NOBODY);
  }

  /** An unnecessary review is better than a missing one. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "[1]", "[{\"kind\":\"Robot\",\"name\":\"r2\"}]", "\"ann\""})
  void whatIsNotUnderstoodConcernsEverybody(String subjects) {
    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(of(subjects)::concern);
    assertThat(of(subjects).and(AffectedSubjects.NOBODY)).isEqualTo(AffectedSubjects.EVERYBODY);
    assertThat(AffectedSubjects.NOBODY.and(of(subjects))).isEqualTo(AffectedSubjects.EVERYBODY);
  }
}
