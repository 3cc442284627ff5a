// Tests of the requests of pages in Chromium: examples/pods.html, and gRPC-Web by fetch. The environment names the site of the pages (SITE, which also
// writes pods in NAMESPACE), the Kubernetes read API of the gateway (PORT, its port), which allows that site, and the browser (CHROMIUM).

import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const { SITE, NAMESPACE, PORT, CHROMIUM } = process.env;
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
