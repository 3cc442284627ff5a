// A program whose types tsc checks against the installed package, in its strict mode.
import { Change, connect, type Difference, type Store, type Update, WatchgateError } from "@watchgate/client";
import { FakeGateway } from "@watchgate/client/testing";
import { connect as connectWeb } from "@watchgate/client/web";

/** A type of the program. */
interface Pod {
  readonly node: string;
}

/** Compiles only if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;

/** Returns an update as text; every one has a case. */
function text(update: Update): string {
  switch (update.kind) {
    case "SNAPSHOT":
      return `${update.objects.length} ${update.resourceVersion} ${update.token.length}`;
    case "CHANGES":
      return update.changes.map((change) => change.name).join();
    case "RESUMED":
    case "BOOKMARK":
      return update.resourceVersion;
    case "INTERRUPTED":
      return `${update.failure.message} ${update.failure.action satisfies "RESUME" | "RESTART" | "STOP"} ${update.delayMs}`;
  }
}

/** Uses each part of the package. */
export async function main(signal: AbortSignal): Promise<void> {
  using gateway = await FakeGateway.start();
  using client = connect([gateway.address], { tls: { caFile: "ca.crt" }, tokenFile: "token" });
  for await (const change of client.watch({ resource: "pods", view: "METADATA" }, { signal, expired: "FAIL" })) {
    true satisfies Same<typeof change, Change>;
    true satisfies Same<typeof change.type, "ADDED" | "MODIFIED" | "DELETED">;
    true satisfies Same<typeof change.body, Uint8Array | undefined>;
  }
  for await (const update of client.updates({ resource: "pods" }, { token: new Uint8Array() })) console.log(text(update));
  const decode = (json: string): Pod => JSON.parse(json);
  await using pods = client.reflect({ resource: "pods" }, { decode, indexes: { node: (pod) => [pod.node] } });
  true satisfies Same<typeof pods, Store<Pod>>;
  const pod = pods.get("shop", "web");
  true satisfies Same<typeof pod, Pod | undefined>;
  const found = pods.where({ node: "n7" });
  true satisfies Same<typeof found, Pod[]>;
  for await (const difference of pods.changes({ signal })) true satisfies Same<typeof difference, Difference<Pod>>;
  // @ts-expect-error a selection has a resource
  client.watch({ namespaces: ["shop"] });
  // @ts-expect-error namespaces are an array
  client.watch({ resource: "pods", namespaces: "shop" });
  // @ts-expect-error there is no such view
  client.watch({ resource: "pods", view: "ALL" });
  try {
    await client.list({ resource: "pods" }, { timeoutMs: 1000 });
    await connectWeb("https://gateway.example", { token: async () => "token" }).types({ signal });
  } catch (error) {
    if (error instanceof WatchgateError) console.log(error.failure.reason);
  }
}
