// An informer of the official JavaScript client on config maps that prints its events: one line of
// JSON for each add, update and delete, and one when it has listed.
//
//     node informer.mjs --kubeconfig FILE --namespace NAMESPACE --selector SELECTOR
//
// Version 2 of the client needs Node 22, so this is version 1.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";

const { kubeconfig, namespace, selector } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    namespace: { type: "string" },
    selector: { type: "string" },
  },
}).values;

const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(
  config,
  `/api/v1/namespaces/${namespace}/configmaps`,
  () => api.listNamespacedConfigMap({ namespace, labelSelector: selector }),
  selector,
);
for (const what of ["add", "update", "delete"]) {
  informer.on(what, (object) => print({ what, object }));
}
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
