#!/usr/bin/env node
// Program of the conformance suite: watchgate conform -- watchgate-conformance
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Change, connect, type Update, WatchgateError } from "./index.js";
import { State } from "./state.js";

const USAGE = `usage: watchgate-conformance RESOURCE --server HOST:PORT [-n NAMESPACE]... [-l SELECTOR] [--first-answer-timeout SECONDS]
    [--watches NUMBER] [--position-file FILE] [--tls-ca FILE] [--tls-client-cert FILE] [--tls-client-key FILE] [--tls-server-name NAME] [--bearer-token-file FILE]`;

const ESCAPED = /[^ -~]/g;

/** Prints one line of printable ASCII; `json` is a JSON text, whose numbers keep their digits. */
function show(what: string, key = "", json = "null"): void {
  const line = `{"what": "${what}", "key": ${JSON.stringify(key)}, "value": ${json.replaceAll("\n", " ")}}`;
  process.stdout.write(line.replace(ESCAPED, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`) + "\n");
}

function showAll(changes: readonly Change[]): void {
  for (const change of changes) show(change.type, change.key, change.text);
}

function showUpdate(update: Update, state: State): void {
  switch (update.kind) {
    case "SNAPSHOT":
      showAll(state.replace(update));
      return show("SYNCED");
    case "CHANGES":
      return showAll(state.apply(update));
    case "RESUMED":
      return show("RESUMED");
    case "INTERRUPTED": {
      const { code: status, reason, message, action } = update.failure;
      return show("ERROR", "", JSON.stringify({ status, reason, message, action }));
    }
    case "BOOKMARK":
      return;
  }
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      server: { type: "string", multiple: true },
      namespace: { type: "string", short: "n", multiple: true },
      selector: { type: "string", short: "l" },
      "first-answer-timeout": { type: "string" },
      watches: { type: "string", default: "1" },
      "position-file": { type: "string" },
      "tls-ca": { type: "string" },
      "tls-client-cert": { type: "string" },
      "tls-client-key": { type: "string" },
      "tls-server-name": { type: "string" },
      "bearer-token-file": { type: "string" },
    },
  });
  const [resource, ...others] = positionals;
  if (!resource || others.length || !values.server) throw new TypeError("name one RESOURCE and a --server");
  return { ...values, resource, server: values.server };
}

function readPosition(file: string | undefined): Uint8Array {
  try {
    return file ? readFileSync(file) : new Uint8Array();
  } catch {
    return new Uint8Array(); // the first run
  }
}

async function main(): Promise<void> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ended.abort());
  process.stdout.once("error", () => ended.abort()); // the reader has gone
  const caFile = options["tls-ca"];
  const certificateFile = options["tls-client-cert"];
  const keyFile = options["tls-client-key"];
  const serverName = options["tls-server-name"];
  const tokenFile = options["bearer-token-file"];
  const timeout = options["first-answer-timeout"];
  const client = connect(options.server, {
    startAtFirst: true,
    ...(caFile && {
      tls: { caFile, ...(certificateFile && { certificateFile }), ...(keyFile && { keyFile }), ...(serverName && { serverName }) },
    }),
    ...(tokenFile && { tokenFile }),
    ...(timeout && { firstAnswerTimeoutMs: Number(timeout) * 1000 }),
  });
  const file = options["position-file"];
  const selection = { resource: options.resource, namespaces: options.namespace ?? [], labels: options.selector ?? "" };
  let token: Uint8Array = new Uint8Array();
  for (let left = Number(options.watches); left > 0 && !ended.signal.aborted; left--) {
    const state = new State();
    token = readPosition(file);
    try {
      for await (const update of client.updates(selection, { token, signal: ended.signal })) {
        showUpdate(update, state);
        if (update.kind !== "INTERRUPTED") token = update.token;
      }
    } catch (error) {
      if (ended.signal.aborted) break;
      if (!(error instanceof WatchgateError)) throw error;
      console.error(`watchgate-conformance: ${error.message}`);
      process.exitCode = 1;
    }
  }
  client.close();
  if (file) savePosition(file, token);
}

function savePosition(file: string, token: Uint8Array): void {
  try {
    writeFileSync(file, token);
  } catch (error) {
    console.error(`watchgate-conformance: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

await main();
