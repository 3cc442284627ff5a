package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a binding affects its subjects, and no others. */
final class AffectedSubjectsTest {
  private static final UserInfo ANN = UserInfo.authenticated("ann", "", List.of("team"));
  private static final UserInfo BOB = UserInfo.authenticated("bob", "", List.of());
  private static final UserInfo ACCOUNT =
      UserInfo.authenticated(
          "system:serviceaccount:shop:ann", "", List.of("system:serviceaccounts"));

  private static AffectedSubjects of(String subjects) {
    return AffectedSubjects.of(
        JsonParser.parseString("{\"subjects\":" + subjects + "}").getAsJsonObject());
  }

  @Test
  void usersGroupsAndAccounts_areDistinct() {
    AffectedSubjects user = of("[{\"kind\":\"User\",\"name\":\"ann\"}]");
    AffectedSubjects group = of("[{\"kind\":\"Group\",\"name\":\"team\"}]");
    AffectedSubjects account =
        of("[{\"kind\":\"ServiceAccount\",\"namespace\":\"shop\",\"name\":\"ann\"}]");

    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(user::contains).containsExactly(ANN);
    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(group::contains).containsExactly(ANN);
    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(account::contains).containsExactly(ACCOUNT);
    assertThat(List.of(ANN, BOB, ACCOUNT))
        .filteredOn(account.plus(user)::contains)
        .containsExactly(ANN, ACCOUNT);
  }

  @Test
  void accountWithoutNamespace_isInThatOfTheBinding() {
    String subjects = "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"ann\"}]}";
    AffectedSubjects inShop =
        AffectedSubjects.of(
            JsonParser.parseString("{\"metadata\":{\"namespace\":\"shop\"}," + subjects)
                .getAsJsonObject());
    AffectedSubjects unknown =
        AffectedSubjects.of(JsonParser.parseString("{" + subjects).getAsJsonObject());

    assertThat(List.of(ANN, BOB, ACCOUNT)).filteredOn(inShop::contains).containsExactly(ACCOUNT);
    assertThat(unknown).isEqualTo(AffectedSubjects.ALL);
  }

  @Test
  void systemAuthenticated_affectsAllAuthenticated() {
    AffectedSubjects all = of("[{\"kind\":\"Group\",\"name\":\"system:authenticated\"}]");

    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(all::contains);
    assertThat(all.contains(UserInfo.ANONYMOUS)).isFalse();
  }

  @Test
  void withoutSubjects_affectsNone() {
    assertThat(List.of(ANN, BOB, ACCOUNT)).noneMatch(of("[]")::contains);
    assertThat(AffectedSubjects.of(JsonParser.parseString("{}").getAsJsonObject()))
        .isEqualTo(AffectedSubjects.NONE);
  }

  /** An unnecessary review is better than a missing one. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "[1]", "[{\"kind\":\"Robot\",\"name\":\"r2\"}]", "\"ann\""})
  void unknownSubject_affectsAll(String subjects) {
    assertThat(List.of(ANN, BOB, ACCOUNT)).allMatch(of(subjects)::contains);
    assertThat(of(subjects).plus(AffectedSubjects.NONE)).isEqualTo(AffectedSubjects.ALL);
    assertThat(AffectedSubjects.NONE.plus(of(subjects))).isEqualTo(AffectedSubjects.ALL);
  }
}
