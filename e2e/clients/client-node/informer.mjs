// An informer of the official JavaScript client on config maps that prints its events: one line of
// JSON for each add, update and delete, and one when it has listed. stderr has a line for each list
// and each watch.
//
//     node informer.mjs --library client-node-1|client-node-2
//         --kubeconfig FILE --namespace NAMESPACE --selector SELECTOR [--silence MILLISECONDS]
//
// Version 2 needs Node 22. It ends a watch on which nothing came for 30 s, or for --silence, and
// watches again from the version that it has.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { library, kubeconfig, namespace, selector, silence } = parseArgs({
  options: {
    library: { type: "string" },
    kubeconfig: { type: "string" },
    namespace: { type: "string" },
    selector: { type: "string" },
    silence: { type: "string" },
  },
}).values;

const { CoreV1Api, KubeConfig, makeInformer } = await import(library);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(
  config,
  `/api/v1/namespaces/${namespace}/configmaps`,
  () => {
    console.error("list");
    return api.listNamespacedConfigMap({ namespace, labelSelector: selector });
  },
  selector,
);
if (silence) {
  informer.watch.requestTimeoutMs = Number(silence);
}
for (const what of ["add", "update", "delete"]) {
  informer.on(what, (object) => print({ what, object }));
}
informer.on("connect", () => console.error("watch"));
// The informer does not retry by itself.
informer.on("error", async (error) => {
  console.error(error);
  await sleep(1000);
  await informer.start();
});
await informer.start();
print({ what: "synced" });

function print(line) {
  console.log(JSON.stringify(line));
}
