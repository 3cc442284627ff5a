// Module that keeps a page of the gateway up to date. It reads the same page as lines of JSON, about one each second, and changes only the
// text of cells, so that focus, selection and scroll position stay. Names of clients and selectors are text of others: they are only ever
// assigned to textContent.

const CHART_SECONDS = 300;

/** Longest time between two samples that a line connects: after a pause of the page the chart has a gap. */
const MAX_STEP_MILLIS = 3_000;
const CHART_HEIGHT = 100;
const RETRY_MILLIS = 2_000;
const MAX_RETRY_MILLIS = 15_000;

/** A connection that breaks without a word would otherwise look alive. */
const SILENCE_MILLIS = 15_000;

/** Streams that lasted that long ended by themselves: the next one begins at once. */
const WHOLE_STREAM_MILLIS = 5_000;

const live = document.querySelector("[data-live]");
const content = document.getElementById("content");
const state = document.getElementById("state");
const pause = document.getElementById("pause");
const tokenForm = document.getElementById("token");

let token = "";
let paused = false;
let reading = null;

/** Text of the connection: announced by screen readers, so it is changed only if it differs. */
function say(text) {
  if (state.textContent !== text) {
    state.textContent = text;
  }
}

/** Reads the page until it is paused or hidden. A stream of lines ends by itself after some seconds. */
async function read(abort) {
  let wait = RETRY_MILLIS;
  while (!abort.signal.aborted) {
    const began = performance.now();
    const request = new AbortController();
    try {
      const headers = { Accept: "application/x-ndjson" };
      if (token) {
        headers.Authorization = `Bearer ${token}`;
      }
      const signal = AbortSignal.any([abort.signal, request.signal]);
      let silence = setTimeout(() => request.abort(), SILENCE_MILLIS);
      try {
        const response = await fetch(location.href, { headers, cache: "no-store", signal });
        if (!response.ok) {
          say((await response.text()).trim());
          if (response.status < 500 && response.status !== 429) {
            stop();
            return;
          }
        } else {
          for await (const line of lines(response.body)) {
            clearTimeout(silence);
            silence = setTimeout(() => request.abort(), SILENCE_MILLIS);
            show(JSON.parse(line));
          }
        }
      } finally {
        clearTimeout(silence);
      }
    } catch (failure) {
      if (abort.signal.aborted) {
        return;
      }
      say(request.signal.aborted ? "No values for 15 s. Trying again." : "The gateway does not answer. Trying again.");
    }
    wait = performance.now() - began > WHOLE_STREAM_MILLIS ? 0 : Math.min(MAX_RETRY_MILLIS, Math.max(RETRY_MILLIS, wait * 2));
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const whole = (rest + part.value).split("\n");
      rest = whole.pop();
      yield* whole;
    }
  } finally {
    reader.cancel().catch(() => {}); // it may have ended by itself
  }
}

/** Ends the updates after an answer that another try would not change; the button tries again. */
function stop() {
  paused = true;
  pause.textContent = "Try again";
  reading = null;
}

function show(page) {
  document.getElementById("problem")?.remove();
  say(page.ready && page.ready !== "yes" ? `Live. Ready: ${page.ready}` : "Live.");
  for (const [name, value] of Object.entries(page)) {
    if (Array.isArray(value) && value.every((row) => row !== null && typeof row === "object")) {
      showTable(name, value);
    } else {
      showCell(valueCell(name), name, value);
    }
  }
  removeMissing(page);
  document.querySelectorAll("[data-chart]").forEach((chart) => showSample(chart, page));
}

/** Removes what the page had before and has no more, such as the requirements of an object that was deleted. */
function removeMissing(page) {
  for (const cell of content.querySelectorAll("[data-value]")) {
    if (!(cell.dataset.value in page)) {
      cell.parentElement.remove();
    }
  }
  for (const table of content.querySelectorAll("[data-table]")) {
    if (!(table.dataset.table in page)) {
      document.getElementById(`table-${table.dataset.table}`)?.remove();
      table.parentElement.remove();
    }
  }
}

function setText(element, value) {
  if (element.textContent !== value) {
    element.textContent = value;
  }
}

function valueCell(name) {
  const found = content.querySelector(`[data-value="${CSS.escape(name)}"]`);
  if (found) {
    return found;
  }
  const list = content.querySelector("dl") ?? content.insertBefore(document.createElement("dl"), content.firstChild);
  const entry = list.appendChild(document.createElement("div"));
  entry.appendChild(document.createElement("dt")).textContent = name;
  const cell = entry.appendChild(document.createElement("dd"));
  cell.dataset.value = name;
  return cell;
}

function showTable(name, rows) {
  const table = content.querySelector(`[data-table="${CSS.escape(name)}"]`) ?? newTable(name);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length > 0) {
    showHeadings(table, columns);
  }
  const body = table.tBodies[0];
  rows.forEach((row, index) => {
    const line = body.rows[index] ?? body.insertRow();
    columns.forEach((column, at) => showCell(line.cells[at] ?? line.insertCell(), column, row[column]));
    while (line.cells.length > columns.length) {
      line.deleteCell(-1);
    }
  });
  while (body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
}

function newTable(name) {
  const heading = content.appendChild(document.createElement("h2"));
  heading.id = `table-${name}`;
  heading.textContent = name;
  const region = content.appendChild(document.createElement("div"));
  region.className = "scroll";
  region.tabIndex = 0;
  region.setAttribute("role", "region");
  region.setAttribute("aria-labelledby", heading.id);
  const table = region.appendChild(document.createElement("table"));
  table.dataset.table = name;
  table.createTHead().insertRow();
  table.createTBody();
  return table;
}

function showHeadings(table, columns) {
  const head = table.tHead.rows[0];
  if (columns.join() === [...head.cells].map((cell) => cell.textContent).join()) {
    return;
  }
  // Of each column that orders the table: the value of the parameter, and the direction.
  const orders = new Map((table.dataset.orders ?? "").split(" ").map((order) => [order.split("=")[0], order.split("=").slice(1)]));
  head.replaceChildren(
    ...columns.map((column) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      if (orders.has(column)) {
        const query = new URLSearchParams(location.search);
        query.delete("offset");
        const [order, direction] = orders.get(column);
        if ((query.get("sort") ?? orders.values().next().value[0]) === order) {
          cell.setAttribute("aria-sort", direction);
        }
        query.set("sort", order);
        const link = cell.appendChild(document.createElement("a"));
        link.href = `?${query}`;
        link.textContent = column;
      } else {
        cell.textContent = column;
      }
      return cell;
    }),
  );
}

function showCell(cell, column, value) {
  cell.classList.toggle("number", typeof value === "number");
  const target = reference(column, text(column, value));
  if (!target) {
    setText(cell, text(column, value));
    return;
  }
  const link = cell.querySelector("a") ?? (cell.replaceChildren(), cell.appendChild(document.createElement("a")));
  setText(link, text(column, value));
  link.setAttribute("href", target);
}

/** Address of the page about a value; empty without one. */
function reference(column, value) {
  if (column === "type" && value !== "-") {
    return `/debug/types/${encodeURIComponent(value)}`;
  }
  return (column === "path" || column === "pages") && value.startsWith("/") && !value.endsWith("/NAME") ? value : "";
}

/** Text of a value in one line, without characters that are invisible or change the direction of the text. */
function text(column, value) {
  if (column === "namespaces" && Array.isArray(value) && value.length === 0) {
    return "*"; // all
  }
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    return "-";
  }
  return typeof value === "number" ? number(value) : String(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

/** A number with a narrow space between groups of three digits. */
function number(value) {
  const [whole, fraction] = String(value).split(".");
  return whole.replace(/(?<=[0-9])(?=([0-9]{3})+$)/g, "\u202f") + (fraction ? `.${fraction}` : "");
}

function numbers(text) {
  return text.split(" ").filter(Boolean).map(Number);
}

function showSample(chart, page) {
  const value = page[chart.dataset.chart];
  const time = Date.parse(page.time);
  const times = numbers(chart.dataset.times);
  if (typeof value !== "number" || Number.isNaN(time) || times.at(-1) === time) {
    return;
  }
  const values = numbers(chart.dataset.values);
  // Later samples are of a clock that was set back.
  const samples = times
    .map((at, index) => ({ at, value: values[index] }))
    .filter(({ at }) => at < time && at > time - CHART_SECONDS * 1_000)
    .concat({ at: time, value });
  chart.dataset.times = samples.map(({ at }) => at).join(" ");
  chart.dataset.values = samples.map((sample) => sample.value).join(" ");
  const most = Math.max(...samples.map((sample) => sample.value));
  const scale = most > 0 ? CHART_HEIGHT / most : 0;
  const line = samples.map((sample, index) => {
    const isFirst = index === 0 || sample.at - samples[index - 1].at > MAX_STEP_MILLIS;
    const x = CHART_SECONDS - 1 - (time - sample.at) / 1_000;
    return `${isFirst ? "M" : "L"}${x.toFixed(1)},${(CHART_HEIGHT - sample.value * scale).toFixed(1)}`;
  });
  chart.querySelector("path").setAttribute("d", line.join(""));
  const [last, highest] = chart.querySelectorAll("b");
  setText(last, number(value));
  setText(highest, number(most));
}

function update() {
  const runs = !paused && document.visibilityState === "visible" && (token || live.dataset.live !== "token");
  if (runs && !reading) {
    reading = new AbortController();
    read(reading);
  } else if (!runs && reading) {
    reading.abort();
    reading = null;
    say(paused ? "Paused." : "");
  }
}

if (live) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Continue" : "Pause";
    update();
  });
  document.addEventListener("visibilitychange", update);
  addEventListener("pagehide", () => (token = ""));
  if (tokenForm) {
    tokenForm.hidden = !window.isSecureContext;
    if (!window.isSecureContext) {
      say("A token would be sent without encryption. Use kubectl port-forward, or a proxy with TLS.");
    }
    tokenForm.addEventListener("submit", (event) => {
      event.preventDefault();
      token = tokenForm.elements.token.value.trim();
      tokenForm.reset();
      reading?.abort();
      reading = null;
      paused = false;
      pause.textContent = "Pause";
      update();
    });
  }
  update();
}
