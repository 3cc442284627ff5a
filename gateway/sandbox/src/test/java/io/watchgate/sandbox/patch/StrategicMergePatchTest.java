package io.watchgate.sandbox.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.sandbox.patch.PatchException.Kind;
import io.watchgate.sandbox.schema.Schema;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests with objects and patches in lenient JSON: unquoted names, single quotes. An e2e test
 * compares random patches with a real apiserver.
 */
class StrategicMergePatchTest {
  private static JsonObject apply(String object, String patch) throws PatchException {
    JsonObject before = JsonParser.parseString(object).getAsJsonObject();
    JsonObject after =
        Patch.parse(
                "application/strategic-merge-patch+json",
                JsonParser.parseString(patch).toString().getBytes(StandardCharsets.UTF_8),
                Schema.of("v1", "Pod"))
            .apply(before);
    assertThat(before).as("is not changed").isEqualTo(JsonParser.parseString(object));
    return after;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          a value is set            | {spec:{nodeName:a}}            | {spec:{nodeName:b}}                | {spec:{nodeName:b}}
          a value is removed        | {spec:{nodeName:a}}            | {spec:{nodeName:null}}             | {spec:{}}
          a map is merged           | {metadata:{labels:{a:x}}}      | {metadata:{labels:{b:y,a:null}}}   | {metadata:{labels:{b:y}}}
          a map is replaced         | {metadata:{labels:{a:x}}}      | {metadata:{labels:{$patch:replace,b:y}}} | {metadata:{labels:{b:y}}}
          a map is emptied          | {metadata:{labels:{a:x}}}      | {metadata:{labels:{$patch:delete}}} | {metadata:{labels:{}}}
          nothing is replaced       | {metadata:{}}                  | {metadata:{labels:{$patch:replace,b:y}}} | {metadata:{}}
          an element is merged      | {spec:{containers:[{name:a,image:i},{name:b}]}} | {spec:{containers:[{name:a,image:j}]}} | {spec:{containers:[{name:a,image:j},{name:b}]}}
          an element is added first | {spec:{containers:[{name:a},{name:b}]}} | {spec:{containers:[{name:c}]}} | {spec:{containers:[{name:c},{name:a},{name:b}]}}
          an element is deleted     | {spec:{containers:[{name:a},{name:b}]}} | {spec:{containers:[{name:a,$patch:delete}]}} | {spec:{containers:[{name:b}]}}
          nothing is deleted        | {spec:{containers:[{name:a}]}} | {spec:{containers:[{name:z,$patch:delete}]}} | {spec:{containers:[{name:a}]}}
          a list is replaced        | {spec:{containers:[{name:a},{name:b}]}} | {spec:{containers:[{$patch:replace},{name:c}]}} | {spec:{containers:[{name:c}]}}
          elements within elements  | {spec:{containers:[{name:a,env:[{name:X,value:'1'},{name:Y,value:'2'}]}]}} | {spec:{containers:[{name:a,env:[{name:Y,value:'3'},{name:Z,value:'4'}]}]}} | {spec:{containers:[{name:a,env:[{name:X,value:'1'},{name:Y,value:'3'},{name:Z,value:'4'}]}]}}
          keys that are numbers     | {spec:{containers:[{name:a,ports:[{containerPort:80},{containerPort:81}]}]}} | {spec:{containers:[{name:a,ports:[{containerPort:81,name:x}]}]}} | {spec:{containers:[{name:a,ports:[{containerPort:80},{containerPort:81,name:x}]}]}}
          an atomic list            | {spec:{tolerations:[{key:a},{key:b}]}} | {spec:{tolerations:[{key:c}]}} | {spec:{tolerations:[{key:c}]}}
          a list of values          | {metadata:{finalizers:[a,b]}}  | {metadata:{finalizers:[c,b]}}      | {metadata:{finalizers:[c,a,b]}}
          a value of a list goes    | {metadata:{finalizers:[a,b]}}  | {metadata:{'$deleteFromPrimitiveList/finalizers':[a,z]}} | {metadata:{finalizers:[b]}}
          an order is set           | {spec:{containers:[{name:a},{name:b},{name:c}]}} | {spec:{'$setElementOrder/containers':[{name:c},{name:a}]}} | {spec:{containers:[{name:b},{name:c},{name:a}]}}
          an order with an addition | {spec:{containers:[{name:a},{name:b}]}} | {spec:{'$setElementOrder/containers':[{name:b},{name:c},{name:a}],containers:[{name:c,image:i}]}} | {spec:{containers:[{name:b},{name:c,image:i},{name:a}]}}
          an order of values        | {metadata:{finalizers:[a,b,c]}} | {metadata:{'$setElementOrder/finalizers':[c,b,a]}} | {metadata:{finalizers:[c,b,a]}}
          an order of nothing       | {metadata:{}}                  | {metadata:{'$setElementOrder/finalizers':[c,b,a]}} | {metadata:{}}
          only some keys stay       | {spec:{volumes:[{name:v,emptyDir:{}}]}} | {spec:{volumes:[{name:v,$retainKeys:[name,hostPath],hostPath:{path:x}}]}} | {spec:{volumes:[{name:v,hostPath:{path:x}}]}}
          a list where there is none | {spec:{}}                     | {spec:{containers:[{name:a,image:null},{name:b,$patch:delete}]}} | {spec:{containers:[{name:a}]}}
          another type of value     | {spec:{containers:{}}}         | {spec:{containers:[{name:a}]}}     | {spec:{containers:[{name:a}]}}
          """)
  void merges(String what, String object, String patch, String expected) throws Exception {
    assertThat(apply(object, patch).toString())
        .as(what)
        .isEqualTo(JsonParser.parseString(expected).toString());
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {metadata:{labels:{a:x}}}      | {metadata:{labels:{$patch:merge}}}      | $patch at metadata.labels must be replace or delete, not "merge"
          {metadata:{labels:{a:x}}}      | {metadata:{labels:{$patch:{}}}}         | $patch at metadata.labels must be replace or delete, not {}
          {spec:{containers:[{name:a}]}} | {spec:{containers:[{image:x}]}}         | an element of spec.containers in the patch or the object has no name, which identifies it
          {spec:{containers:[{name:a}]}} | {spec:{containers:[{$patch:delete}]}}   | an element of spec.containers in the patch or the object has no name, which identifies it
          {spec:{containers:[{name:a}]}} | {spec:{containers:[x]}}                 | spec.containers: the list and the patch must both have objects, or both other values
          {spec:{containers:[{name:a}]}} | {spec:{'$setElementOrder/containers':x}}  | $setElementOrder/containers at spec must be an array, not a string
          {spec:{containers:[{name:a}]}} | {spec:{'$setElementOrder/containers':[{name:a}],containers:[{name:b}]}} | $setElementOrder/spec.containers does not name the elements that the patch sets, in the same order
          {spec:{containers:[{name:a}]}} | {spec:{'$setElementOrder/containers':[{image:x}]}} | an element of spec.containers in the patch or the object has no name, which identifies it
          {spec:{containers:[{name:a}]}} | {spec:{'$setElementOrder/containers':[a]}} | an element of spec.containers in the patch or the object has no name, which identifies it
          {spec:{}}                      | {spec:{'$setElementOrder/containers':[{name:a}],containers:[]}} | $setElementOrder/spec.containers: there is nothing to order
          {spec:{containers:[{}]}}       | {spec:{'$setElementOrder/containers':[{name:a}],containers:[{$patch:replace},{name:a}]}} | an element of spec.containers in the patch or the object has no name, which identifies it
          {spec:{containers:[{name:a}]}} | {spec:{'$setElementOrder/nope':[]}}       | $setElementOrder/nope at spec: there is no such field
          {spec:{volumes:[{name:v}]}}    | {spec:{volumes:[{name:v,$retainKeys:[name],hostPath:{}}]}} | $retainKeys at spec.volumes[v] does not name hostPath, which the patch sets
          {spec:{volumes:[{name:v}]}}    | {spec:{volumes:[{name:v,$retainKeys:name}]}} | $retainKeys at spec.volumes[v] must be an array, not a string
          {metadata:{finalizers:[a]}}    | {metadata:{'$deleteFromPrimitiveList/finalizers':a}} | $deleteFromPrimitiveList/finalizers at metadata must be an array, not a string
          """)
  void invalidPatch_isRefused(String object, String patch, String message) {
    assertThatThrownBy(() -> apply(object, patch))
        .isInstanceOfSatisfying(
            PatchException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MALFORMED))
        .hasMessage(message);
  }
}
