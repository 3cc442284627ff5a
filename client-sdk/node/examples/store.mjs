// Keeps the pods of a namespace in a store, by name and by node, and prints what differs.
import { connect } from "@watchgate/client";

const client = connect("127.0.0.1:7443");
const pods = client.reflect(
  { resource: "pods", namespaces: ["shop"] },
  { indexes: { node: (pod) => [pod.spec.nodeName] } },
);
await pods.synced();
console.log(`${pods.size} pods, ${pods.where({ node: "node-1" }).length} of them on node-1`);
for await (const { name, new: now } of pods.changes()) {
  console.log(name, now ? "is here" : "is gone");
}
