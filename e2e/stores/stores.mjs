// Prints the states and changes of several stores of the Node package, for a judge: README.md has its lines.
import { connect } from "@watchgate/client";

const request = JSON.parse(process.argv[2]);
const client = connect(request.servers);
const ended = new AbortController();
process.on("SIGTERM", () => ended.abort());

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function decode(json) {
  const { namespace, name } = JSON.parse(json).metadata;
  return { key: `${namespace}/${name}`, json };
}

/** Prints the differences between the states of a store, each at its version. */
async function printStates(store, number) {
  let before = new Map();
  await store.synced();
  for (;;) {
    const version = store.resourceVersion;
    const objects = new Map(store.list().map(({ key, json }) => [key, json]));
    print({
      store: number,
      resourceVersion: version,
      changed: [...objects].filter(([key, json]) => before.get(key) !== json).map(([, json]) => json),
      gone: [...before.keys()].filter((key) => !objects.has(key)),
    });
    before = objects;
    await store.waitAtLeast(String(BigInt(version) + 1n));
  }
}

/** Prints the changes of readers, one after the other: each is left after a number of changes to objects that it has. */
async function printChanges(store, number) {
  for (let reader = 1; ; reader++) {
    print({ store: number, reader });
    let left = request.changesOfReader;
    for await (const { namespace, name, old, new: now } of store.changes()) {
      print({ store: number, reader, key: `${namespace}/${name}`, old: old?.json ?? null, new: now?.json ?? null });
      if (old && --left === 0) break;
    }
  }
}

/** Prints the states and the changes of a store. */
async function follow(selection, number) {
  const store = client.reflect(selection, { decode, signal: ended.signal });
  const printers = [printStates(store, number)];
  if (request.changesOfReader) printers.push(printChanges(store, number));
  try {
    await Promise.all(printers);
  } catch (error) {
    if (!ended.signal.aborted) print({ store: number, error: String(error) });
  }
}

await Promise.all(request.stores.map(follow));
await client.close();
