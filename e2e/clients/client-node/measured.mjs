// Holds all pods, for a benchmark that measures this process. MeasuredProcess.java has the lines that are exchanged.
//
//     node measured.mjs informer PODS KUBECONFIG    an informer of the official JavaScript client, version 2
//     node measured.mjs store PODS HOST:PORT CA     a store of @watchgate/client, beside which the program lies
import { createInterface } from "node:readline";

const [source, pods, server, caFile] = process.argv.slice(2);
let events = 0;

function count() {
  events += 1;
  if (events === Number(pods)) console.log("synced");
}

async function informer() {
  const { CoreV1Api, KubeConfig, makeInformer } = await import("client-node-2");
  const config = new KubeConfig();
  config.loadFromFile(server);
  const api = config.makeApiClient(CoreV1Api);
  const held = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
  for (const kind of ["add", "update", "delete"]) held.on(kind, count);
  held.on("error", (error) => {
    throw error;
  });
  await held.start();
}

async function store() {
  const { connect } = await import("@watchgate/client");
  const client = connect(server, { tls: { caFile } });
  const held = client.reflect({ resource: "pods" });
  for await (const _ of held.changes()) count();
}

createInterface({ input: process.stdin })
  .on("line", (question) => console.log(question, events))
  .on("close", () => process.exit());
await { informer, store }[source]();
