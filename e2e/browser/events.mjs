// Tests of the requests of pages in Chromium: examples/pods.html, gRPC-Web by fetch, and the npm package. The environment names the site of the pages
// (SITE, which also writes pods in NAMESPACE), the Kubernetes read API of the gateway (PORT, its port), which allows that site, its metrics (METRICS),
// the browser (CHROMIUM), the packages of Node (PACKAGES, a folder) and the example of the npm package (EXAMPLE).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const { SITE, NAMESPACE, PORT, METRICS, CHROMIUM, PACKAGES, EXAMPLE } = process.env;
const LIMIT_MILLIS = 60_000;

let browser;
let way;

/** TCP proxy in front of the gateway, which can be cut. It keeps the bytes of each connection. */
async function startWay() {
  const opened = { connections: [], isCut: false };
  opened.server = createServer((client) => {
    if (opened.isCut) {
      client.destroy();
      return;
    }
    const gateway = connect(Number(PORT), "127.0.0.1");
    const connection = { sent: "", received: "", end: () => [client, gateway].forEach((socket) => socket.destroy()) };
    opened.connections.push(connection);
    client.on("data", (bytes) => (connection.sent += bytes.toString("latin1")));
    gateway.on("data", (bytes) => (connection.received += bytes.toString("latin1")));
    for (const socket of [client, gateway]) {
      socket.on("error", connection.end);
      socket.on("close", connection.end);
    }
    client.pipe(gateway).pipe(client);
  });
  await new Promise((resolve) => opened.server.listen(0, "127.0.0.1", resolve));
  opened.url = `http://127.0.0.1:${opened.server.address().port}`;
  return opened;
}

before(async () => {
  way = await startWay();
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  way?.connections.forEach((connection) => connection.end());
  way?.server.close();
});

async function visit(site, use) {
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT_MILLIS);
  try {
    const page = await context.newPage();
    await page.goto(`${site}/pods.html?gateway=${way.url}`);
    await use(page);
  } finally {
    await context.close();
  }
}

/** Creates or changes a pod; returns its row after that. */
async function write(name) {
  const answer = await fetch(`${SITE}/write/${name}`, { method: "POST" });
  assert.equal(answer.status, 200);
  return `${NAMESPACE}/${name} ${await answer.text()}`;
}

test("the page shows pods and changes, and resumes without a snapshot", async () => {
  const first = await write("first");
  await visit(SITE, async (page) => {
    const row = (text) => page.getByText(text, { exact: true });
    await row(first).waitFor();
    assert.equal(await page.locator("#state").textContent(), "live");
    const changed = await write("first");
    await row(changed).waitFor();
    assert.equal(await row(first).count(), 0);
    const before = way.connections.filter((connection) => connection.sent.includes("GET /v1/watch"));
    assert.equal(before.length, 1);
    assert.match(before[0].received, /event: ?snapshot-started/);
    assert.doesNotMatch(before[0].sent, /last-event-id/i);

    way.isCut = true;
    way.connections.forEach((connection) => connection.end());
    await page.getByText("reconnecting").waitFor();
    const away = await write("away");
    assert.equal(await row(away).count(), 0);
    way.isCut = false;
    await row(away).waitFor();

    await row(changed).waitFor();
    const resumed = way.connections.filter((connection) => connection.sent.includes("GET /v1/watch")).at(-1);
    assert.notEqual(resumed, before[0]);
    assert.match(resumed.sent, /last-event-id: ?\S+/i);
    assert.match(resumed.received, /event: ?resumed/);
    assert.doesNotMatch(resumed.received, /event: ?snapshot-started/);
  });
});

test("the page of a site that is not allowed shows nothing", async () => {
  await visit(SITE.replace("127.0.0.1", "localhost"), async (page) => {
    await page.getByText("ended").waitFor();
    assert.equal(await page.locator("#pods li").count(), 0);
  });
});

test("a page calls a method by gRPC-Web", async () => {
  await visit(SITE, async (page) => {
    await page.getByText("live").waitFor();
    const frames = await page.evaluate(async (url) => {
      const answer = await fetch(`${url}/watchgate.v1.WatchService/ListResourceTypes`, {
        method: "POST",
        headers: { "Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1" },
        body: new Uint8Array(5), // one empty message
      });
      const bytes = await answer.arrayBuffer();
      const view = new DataView(bytes);
      const read = [];
      for (let at = 0; at < bytes.byteLength; ) {
        const length = view.getUint32(at + 1);
        read.push({ flags: view.getUint8(at), text: new TextDecoder("latin1").decode(new Uint8Array(bytes, at + 5, length)) });
        at += 5 + length;
      }
      return read;
    }, way.url);
    assert.deepEqual(frames.map(({ flags }) => flags), [0, 0x80]);
    assert.match(frames[0].text, /pods/);
    assert.match(frames[1].text, /grpc-status: ?0/);
  });
});

/**
 * Opens a page of a site that has the npm package, and `script`. The page itself comes from the site: Chromium lets no page call a loopback address that
 * does not come from one.
 */
async function visitWithPackage(site, script, use) {
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT_MILLIS);
  const javascript = (body) => ({ contentType: "text/javascript", body });
  await context.route(`${site}/modules/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice("/modules/".length);
    return route.fulfill(javascript(readFileSync(`${PACKAGES}/${path}`)));
  });
  await context.route(`${site}/script.mjs`, (route) => route.fulfill(javascript(script)));
  try {
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${site}/sdk.html`);
    await use(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

function cut() {
  way.isCut = true;
  way.connections.forEach((connection) => connection.end());
}

test("the example of the npm package shows pods and changes, also after a cut", async () => {
  const name = (row) => row.split("/")[1];
  const first = name(await write("sdk"));
  const example = readFileSync(EXAMPLE, "utf8").replace("http://127.0.0.1:6443", way.url).replace('"shop"', JSON.stringify(NAMESPACE));
  await visitWithPackage(SITE, example, async (page) => {
    const row = (text) => page.getByText(text, { exact: true });
    await row(first).waitFor();
    const changed = name(await write("sdk"));
    await row(changed).waitFor();
    assert.equal(await row(first).count(), 0);
    cut();
    const away = name(await write("sdk-away"));
    way.isCut = false;
    await row(away).waitFor();
    assert.equal(await row(changed).count(), 1);
  });
});

test("the npm package resumes without a snapshot after a cut", async () => {
  await write("resumed");
  await visitWithPackage(SITE, "", async (page) => {
    await page.evaluate(
      async ([url, namespace, limit]) => {
        const { connect } = await import("@watchgate/client/web");
        globalThis.updates = connect(url).updates({ resource: "pods", namespaces: [namespace], view: "KEY" }, { signal: AbortSignal.timeout(limit) });
        globalThis.story = [];
        globalThis.nextOf = async (kind) => {
          for (;;) {
            const { value } = await globalThis.updates.next();
            globalThis.story.push(value.kind);
            if (value.kind === kind) return (value.objects ?? value.changes ?? []).map((change) => change.name);
          }
        };
      },
      [way.url, NAMESPACE, LIMIT_MILLIS],
    );
    const next = (kind) => page.evaluate((wanted) => globalThis.nextOf(wanted), kind);
    assert.ok((await next("SNAPSHOT")).includes("resumed"));
    cut();
    await next("INTERRUPTED");
    await write("while-away");
    way.isCut = false;
    assert.deepEqual(await next("CHANGES"), ["while-away"]);
    const story = await page.evaluate(() => globalThis.story);
    assert.equal(story.filter((kind) => kind === "SNAPSHOT").length, 1);
    assert.ok(story.includes("RESUMED"));
  });
});

test("watches of the npm package that are aborted at any moment leave no stream", async () => {
  await visitWithPackage(SITE, "", async (page) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`seed ${seed}`);
    const begun = await page.evaluate(
      async ([url, namespace, first]) => {
        const { connect } = await import("@watchgate/client/web");
        let state = first;
        const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 2 ** 31;
        const client = connect(url);
        const watch = (signal) => client.watch({ resource: "pods", namespaces: [namespace] }, { signal });
        const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
        let count = 0;
        const read = async (signal, yields) => {
          let isFirst = true;
          for await (const _ of watch(signal)) {
            count += isFirst;
            isFirst = false;
            yields();
          }
        };
        const begin = performance.now();
        for await (const _ of watch(undefined)) break;
        const longest = 2 * (performance.now() - begin);
        for (let number = 0; number < 100; number++) {
          const ending = new AbortController();
          let yields;
          const begun = new Promise((resolve) => (yields = resolve));
          const ended = read(ending.signal, yields).catch((error) => {
            if (error !== ending.signal.reason) throw error;
          });
          // However busy the machine is, every second watch has begun.
          if (number % 2) await Promise.race([begun, ended]);
          await sleep(random() * (number % 2 ? 2 : longest));
          ending.abort();
          await ended;
        }
        return count;
      },
      [way.url, NAMESPACE, seed],
    );
    assert.ok(begun >= 50, `${begun} of 100 watches had begun`);
    const open = async () => {
      const metrics = await (await fetch(METRICS)).text();
      return Number(metrics.match(/^watchgate_browser_streams ([0-9.]+)$/m)[1]);
    };
    const deadline = performance.now() + LIMIT_MILLIS;
    while ((await open()) > 0) {
      assert.ok(performance.now() < deadline, `${await open()} streams are open`);
      await sleep(50);
    }
  });
});

test("the npm package on a site that is not allowed gets nothing", async () => {
  await visitWithPackage(SITE.replace("127.0.0.1", "localhost"), "", async (page) => {
    const code = await page.evaluate(async (url) => {
      const { connect, WatchgateError } = await import("@watchgate/client/web");
      let last = "";
      // On a busy machine the browser may take longer to refuse the answer: it is asked again.
      for (let attempt = 0; attempt < 10; attempt++) {
        try {
          await connect(url).list({ resource: "pods" }, { timeoutMs: 2000 });
          return "an answer";
        } catch (error) {
          if (!(error instanceof WatchgateError)) {
            return String(error);
          }
          last = error.failure.code;
          if (last !== "DEADLINE_EXCEEDED") {
            return last;
          }
        }
      }
      return last;
    }, way.url);
    assert.equal(code, "UNAVAILABLE");
  });
});
