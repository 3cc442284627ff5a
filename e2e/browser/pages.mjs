// Tests of the pages of a gateway in Chromium, with axe for their accessibility. The environment names the gateway (PAGES, its pages; READS, its
// Kubernetes read API) and the browser (CHROMIUM). It has a stream of configmaps whose client is named EVIL_CLIENT. With PICTURES, a folder, the
// pictures of the documents are made, and nothing is tested.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const { PAGES, READS, CHROMIUM, EVIL_CLIENT, PICTURES } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LIMIT_MILLIS = 60_000;

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

after(() => browser?.close());

/** Opens a page. At its end, checks that all requests went to the gateway; returns the errors that the browser reported. */
async function visit(path, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(LIMIT_MILLIS);
  const page = await context.newPage();
  const errors = [];
  const asked = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => asked.push(request.url()));
  try {
    await page.goto(PAGES + path);
    await use(page, context);
    assert.deepEqual(asked.filter((url) => new URL(url).origin !== PAGES), []);
    return errors;
  } finally {
    await context.close();
  }
}

/** Opens a watch of the Kubernetes read API with a name of its own, until the test ends it. */
function openWatch(agent) {
  const abort = new AbortController();
  const opened = fetch(`${READS}/api/v1/configmaps?watch=1`, { headers: { "User-Agent": agent }, signal: abort.signal });
  opened.catch(() => {}); // ended before it was opened, after its row was shown
  return { opened, end: () => abort.abort() };
}

/** Row of a stream, which has the name of its client and the user agent of its library. */
function rowOf(page, agent) {
  return page.getByRole("row").filter({ hasText: agent });
}

async function violations(page) {
  await page.evaluate(AXE);
  const result = await page.evaluate(() =>
    axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return result.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ; ")}`);
}

const check = (name, run) => test(name, { skip: Boolean(PICTURES) }, run);

check("a stream is shown after it was opened, and its client's name is text", async () => {
  const errors = await visit("/debug/streams", {}, async (page) => {
    await page.getByText(EVIL_CLIENT, { exact: true }).waitFor();
    const watch = openWatch("opened-later");
    try {
      await watch.opened;
      const opened = performance.now();
      await rowOf(page, "opened-later").waitFor();
      console.log(`shown ${Math.round(performance.now() - opened)} ms after it was opened`);
    } finally {
      watch.end();
    }
    await rowOf(page, "opened-later").waitFor({ state: "detached" });
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => window.injected), undefined);
  });
  assert.deepEqual(errors, []);
});

check("the overview keeps its values and charts up to date", async () => {
  const errors = await visit("/", {}, async (page) => {
    const time = page.locator('[data-value="time"]');
    const first = await time.textContent();
    await page.waitForFunction((before) => document.querySelector('[data-value="time"]').textContent !== before, first);
    assert.match(await page.locator('[data-chart="sentPerSecond"] path').getAttribute("d"), /^M[0-9.]+,[0-9.]+.*L/);
    await page.getByText("Live.").waitFor();
    assert.deepEqual(await page.getByRole("heading").allTextContents(), ["overview", "types", "streams", "endedStreams", "events"]);
  });
  assert.deepEqual(errors, []);
});

check("columns are ordered with the keyboard, and the focus stays over updates", async () => {
  await visit("/debug/streams?type=configmaps", {}, async (page) => {
    await page.getByRole("link", { name: "behindBytes" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/sort=bytes/);
    assert.match(page.url(), /type=configmaps/);
    assert.equal(await page.locator('th[aria-sort="descending"]').textContent(), "behindBytes");
    await page.getByText("Live.").waitFor();
    const link = page.getByRole("link", { name: "sentBytes" });
    await link.focus();
    await page.evaluate(() => {
      window.changes = 0;
      new MutationObserver(() => window.changes++).observe(document.getElementById("content"), { subtree: true, childList: true, characterData: true });
    });
    const watch = openWatch("while-focused");
    try {
      await rowOf(page, "while-focused").waitFor();
    } finally {
      watch.end();
    }
    assert.ok((await page.evaluate(() => window.changes)) > 0);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "sentBytes");
  });
});

check("a paused page does not change until it is continued", async () => {
  await visit("/debug/streams", {}, async (page) => {
    await page.getByText("Live.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused.").waitFor();
    const shown = await page.locator("#content").textContent();
    const watch = openWatch("while-paused");
    try {
      await watch.opened;
      await visit("/debug/streams", {}, (other) => rowOf(other, "while-paused").waitFor());
      assert.equal(await page.locator("#content").textContent(), shown);
      await page.getByRole("button", { name: "Continue" }).click();
      await rowOf(page, "while-paused").waitFor();
    } finally {
      watch.end();
    }
  });
});

check("tables are there without scripts", async () => {
  await visit("/debug/streams", { javaScriptEnabled: false }, async (page) => {
    assert.ok(await page.getByText(EVIL_CLIENT, { exact: true }).isVisible());
    await page.getByRole("link", { name: "opened", exact: true }).click();
    await page.waitForURL(/sort=opened/);
    assert.equal(await page.locator('th[aria-sort="ascending"]').textContent(), "opened");
    await page.getByLabel("client").fill(EVIL_CLIENT);
    await page.getByRole("button", { name: "Show" }).click();
    assert.equal(await page.locator("tbody tr").count(), 1);
    assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0);
  });
});

check("a wrong parameter is explained above the form that has it", async () => {
  await visit("/debug/streams?limit=x&client=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", {}, async (page) => {
    await page.getByText("limit=x is no whole number from 1 to 1000").waitFor();
    assert.equal(await page.getByLabel("client").inputValue(), '"><script>alert(1)</script>');
    assert.equal(await page.locator("script:not([src])").count(), 0);
  });
});

check("who comes through a proxy to a gateway without authentication is told so, and not asked for a token", async () => {
  await visit("/debug/streams", { extraHTTPHeaders: { "X-Forwarded-For": "192.0.2.1" } }, async (page) => {
    await page.getByText("callers are not authenticated").waitFor();
    assert.equal(await page.locator("tbody, form, button").count(), 0);
    assert.deepEqual(await violations(page), []);
  });
});

check("a token is sent with the requests of the page, and numbers have groups of digits", async () => {
  // The form is that of a gateway with authentication, which refuses a request without a token.
  const form =
    '<p class="problem" id="problem">send a bearer token</p><form id="token" method="post" hidden><label>Bearer token ' +
    '<input type="password" name="token" required></label><button>Show</button></form><div class="live" data-live="token">' +
    '<button type="button" id="pause" hidden>Pause</button><p id="state" role="status"></p></div><div id="content"></div>';
  await visit("/debug/list", {}, async (page) => {
    let authorization = "";
    await page.route("**/debug/streams", async (route) => {
      authorization = route.request().headers().authorization ?? "";
      if (route.request().resourceType() === "document") {
        const list = await (await fetch(`${PAGES}/debug/list`, { headers: { Accept: "text/html" } })).text();
        await route.fulfill({ contentType: "text/html", body: list.replace(/<main.*<\/main>/s, `<main>${form}</main>`) });
      } else {
        await route.fulfill({
          contentType: "application/x-ndjson",
          body: '{"total":1,"gone":2,"streams":[{"client":"<b>a</b>","sentBytes":12345}]}\n{"total":1,"streams":[]}\n',
        });
      }
    });
    await page.goto(`${PAGES}/debug/streams`);
    assert.equal(authorization, "");
    await page.evaluate(() => {
      window.shown = new Set();
      new MutationObserver(() => document.querySelectorAll("td, dt").forEach((cell) => window.shown.add(cell.textContent))).observe(
        document.getElementById("content"),
        { subtree: true, childList: true, characterData: true },
      );
    });
    await page.getByLabel("Bearer token").fill("a-token");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("Live.").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("#content td").length === 0 && window.shown.size > 0);
    assert.equal(authorization, "Bearer a-token");
    assert.equal(await page.locator("#problem").count(), 0);
    // A value that the last line does not have is gone.
    assert.deepEqual(await page.locator("dt").allTextContents(), ["total"]);
  });
});

check("charts have the values of the page, also large ones", async () => {
  await visit("/", {}, async (page) => {
    await page.getByText("Live.").waitFor();
    await page.route("**/", (route) =>
      route.fulfill({ contentType: "application/x-ndjson", body: '{"ready":"yes","time":"2099-01-01T00:00:00Z","sentPerSecond":12345,"lagP99Millis":0.5}\n' }),
    );
    // Another number of the page may have the digits, too: the chart is waited for by itself.
    await page.waitForFunction(() => document.querySelector('[data-chart="sentPerSecond"]').dataset.values === "12345");
    const chart = page.locator('[data-chart="sentPerSecond"]');
    await page.locator('[data-value="sentPerSecond"]').filter({ hasText: /^12\u202f345$/ }).waitFor();
    assert.doesNotMatch(await chart.locator("path").getAttribute("d"), /NaN/);
  });
});

check("a chart has a gap for the time in which the page was paused", async () => {
  const errors = await visit("/", {}, async (page) => {
    await page.getByText("Live.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused.").waitFor();
    const chart = page.locator('[data-chart="sentPerSecond"]');
    const before = (await chart.getAttribute("data-times")).split(" ").map(Number).at(-1);
    for (let newest = before; newest <= before + 6_000; await page.waitForTimeout(250)) {
      const { rates } = await (await fetch(`${PAGES}/debug/rates`, { headers: { Accept: "application/json" } })).json();
      newest = Date.parse(rates.at(-1).time);
    }
    assert.equal((await chart.getAttribute("data-times")).split(" ").map(Number).at(-1), before);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForFunction((last) => !document.querySelector('[data-chart="sentPerSecond"]').dataset.times.endsWith(String(last)), before);
    const drawn = await chart.evaluate((figure) => ({ times: figure.dataset.times, line: figure.querySelector("path").getAttribute("d") }));
    const times = drawn.times.split(" ").map(Number);
    const points = drawn.line.match(/[ML][0-9.]+/g);
    assert.equal(points.length, times.length);
    const after = times.indexOf(before) + 1;
    assert.ok(times[after] > before + 6_000);
    assert.match(points[after], /^M/);
    const units = Number(points[after].slice(1)) - Number(points[after - 1].slice(1));
    assert.ok(Math.abs(units - (times[after] - before) / 1_000) < 0.2, `${units} units`);
  });
  assert.deepEqual(errors, []);
});

for (const colorScheme of ["light", "dark"]) {
  check(`axe finds nothing on any page, ${colorScheme}`, async () => {
    const list = await (await fetch(`${PAGES}/debug/list`, { headers: { Accept: "application/json" } })).json();
    for (const { path } of list.pages) {
      await visit(path.replace("NAME", "configmaps"), { colorScheme }, async (page) => {
        assert.deepEqual(await violations(page), [], `${colorScheme} ${path}`);
      });
    }
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`picture, ${colorScheme}`, { skip: !PICTURES }, async () => {
    await visit("/", { colorScheme, viewport: { width: 1280, height: 860 } }, async (page) => {
      await page.getByText("Live.").waitFor();
      await page.screenshot({ path: `${PICTURES}/overview-${colorScheme}.png` });
    });
  });
}
