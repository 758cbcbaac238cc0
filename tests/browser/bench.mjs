// The engine as WASM, how long a drag's step takes on the page's thread, and how much is fetched until the first live
// chart. Prints, asserts nothing: `make bench`.

import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { existsSync, readFileSync } from 'node:fs';
import { serve } from './server.mjs';

const site = await serve(process.env.DIST ?? 'dist');
const browser = await chromium.launch({
  executablePath: process.env.CHROME ?? (existsSync('.tools/chrome') ? '.tools/chrome' : '/usr/bin/chromium'),
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const STEPS = 200;
const at = (sorted, share) => sorted[Math.floor(sorted.length * share)];

/** In the page: the time of the last draw call, and when frames' callbacks begin. */
const watch = () => {
  window.lastDraw = 0;
  for (const name of ['fill', 'stroke', 'fillRect', 'fillText', 'strokeText', 'strokeRect']) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function drawn(...args) {
      draw.apply(this, args);
      window.lastDraw = performance.now();
    };
  }
  const request = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => request.call(window, (now) => {
    window.frameStart ||= performance.now();
    callback(now);
  });
};

/** In the page: when the worker was asked for a run, and how long after that its answer was on the screen; the app's memory. */
const noteOrders = () => {
  const RUN = 0;
  const Real = window.Worker;
  window.orders = [];
  window.lags = [];
  window.Worker = class extends Real {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data: [lane, , share] }) => {
        if (share !== 1) return;
        const asked = window.orders[lane];
        window.orders[lane] = undefined;
        // Drawn in the next frame.
        if (lane === RUN && asked !== undefined) requestAnimationFrame(() => setTimeout(() => window.lags.push(performance.now() - asked)));
      });
    }

    postMessage(message, ...rest) {
      if (message[0] === 'order') window.orders[message[1]] = performance.now();
      super.postMessage(message, ...rest);
    }
  };
  const made = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...args) => {
    const result = await made.apply(WebAssembly, args);
    window.memory = result.instance.exports.memory;
    return result;
  };
};

const home = await browser.newPage();
await home.goto(site.url);
const cards = await home.$$eval('.map a', (all) => all.map((a) => a.getAttribute('href')));
await home.close();

// `node tests/browser/bench.mjs jitter`: that card alone, and what follows.
const [only] = process.argv.slice(2);
for (const card of cards.filter((card) => !only || card === `${only}/`)) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await page.addInitScript(watch);
  const bodies = [];
  page.on('response', (response) => bodies.push(response));
  await page.goto(site.url + card, { waitUntil: 'commit' });
  await page.waitForSelector('html[data-live]', { state: 'attached' });
  let bytes = 0;
  const listed = [];
  // The worker asks for the same script once more.
  const once = new Map(bodies.splice(0).map((response) => [response.url(), response]));
  for (const response of once.values()) {
    if (response.url().includes('worker.js')) continue;
    const size = gzipSync(await response.body().catch(() => ''), { level: 9 }).length;
    bytes += size;
    listed.push([new URL(response.url()).pathname.split('/').pop().replace(/-[0-9a-f]{16}/, '') || 'page', size]);
  }
  console.log(`\n${card} first live chart: ${(bytes / 1024).toFixed(1)} KiB gzipped`);
  for (const [name, size] of listed) console.log(`    ${(size / 1024).toFixed(1).padStart(7)}  ${name}`);

  // The article's seeds run at the start; the drag is measured, not them.
  await page.waitForFunction(() => ![...document.querySelectorAll('#article td[data-col=setup] small')].some((e) => e.textContent === '\u00a0'));
  const drag = (count) => page.evaluate(async (steps) => {
    const input = [...document.querySelectorAll('[data-knob]:not([hidden]) input[type=range]')].find((e) => e.checkVisibility());
    const frame = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
    const middle = Number(input.value);
    const out = [];
    for (let i = 0; i < steps; i += 1) {
      // As a hand does it: away and back, never twice the same.
      input.value = middle - 15 + (i % 2 ? i % 15 : 15 - (i % 13));
      await frame();
      const begin = performance.now();
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await null;
      await null;
      const handled = performance.now() - begin;
      window.lastDraw = 0;
      window.frameStart = 0;
      await frame();
      if (window.lastDraw > 0) out.push({ handled, drawn: window.lastDraw - window.frameStart });
    }
    return out;
  }, count);
  const times = await drag(STEPS);
  const total = times.map(({ handled, drawn }) => handled + drawn).sort((a, b) => a - b);
  const handled = times.map((t) => t.handled).sort((a, b) => a - b);
  // A slider with few stops may be at its end.
  if (total.length === 0) console.log(`${card} a drag's step: the first slider changes nothing within 15 stops`);
  else console.log(`${card} a drag's step, input event to last draw call, 1440 px, ratio 1, ${total.length} steps: `
    + `median ${at(total, 0.5).toFixed(1)} ms, p95 ${at(total, 0.95).toFixed(1)} ms (in the event itself: ${at(handled, 0.5).toFixed(1)} ms)`);
  // The same on a machine four times slower: which tasks hold the page longest.
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: 'longtask' });
  });
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await drag(STEPS / 4);
  const long = (await page.evaluate(() => window.long)).sort((a, b) => b - a);
  console.log(`${card} four times slower, ${STEPS / 4} steps: ${long.length} tasks over 50 ms`
    + (long.length > 0 ? `, the longest ${long.slice(0, 3).map((ms) => ms.toFixed(0)).join(', ')} ms` : ''));
  await context.close();
}

// The flagship: seeds, what a moving hand sees, memory.
{
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await page.addInitScript(noteOrders);
  await page.goto(`${site.url}retry-storm/`, { waitUntil: 'commit' });
  await page.waitForSelector('html[data-live]', { state: 'attached' });
  const resting = () => page.waitForFunction(() => !document.querySelector('.plot.computing') && document.querySelector('.seeds').classList.contains('idle'), null, { timeout: 120_000 });
  await page.waitForFunction(() => window.orders.every((order) => order === undefined), null, { timeout: 120_000 });
  await resting();
  const began = performance.now();
  await page.click('[data-seeds="20"]');
  await resting();
  console.log(`retry-storm 20 seeds: ${((performance.now() - began) / 1000).toFixed(2)} s`);
  for (const setup of await page.$$eval('[data-setup]', (all) => all.map((e) => e.dataset.setup))) {
    await page.click(`[data-setup="${setup}"]`);
    await resting();
    const lags = await page.evaluate(async () => {
      const input = [...document.querySelectorAll('[data-knob]:not([hidden]) input[type=range]')].find((e) => e.checkVisibility());
      const [middle, frame] = [Number(input.value), () => new Promise(requestAnimationFrame)];
      window.lags = [];
      for (let i = 0; i < 180; i += 1) {
        input.value = middle - 10 + (i % 20);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await frame();
      }
      return window.lags;
    });
    await resting();
    lags.sort((a, b) => a - b);
    console.log(`retry-storm ${setup}: ${lags.length === 0 ? 'each run within the frame' : `${lags.length} results from the worker in 180 moves, behind the hand median ${at(lags, 0.5).toFixed(0)} ms, p95 ${at(lags, 0.95).toFixed(0)} ms, most ${lags.at(-1).toFixed(0)} ms`}`);
  }
  const session = await context.newCDPSession(page);
  const memory = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return [usedSize, await page.evaluate(() => window.memory?.buffer.byteLength ?? 0)].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  };
  await page.click('[data-setup] >> nth=0');
  const hundred = async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      await page.fill('#seed', String(seed));
      await page.evaluate(() => new Promise(requestAnimationFrame));
      await page.waitForFunction(() => !document.querySelector('.plot.computing'));
    }
    return memory();
  };
  const [first, second] = [await hundred(), await hundred()];
  console.log(`retry-storm memory after 100 runs: scripts ${first[0]} MiB, WASM ${first[1]} MiB; after 200: ${second[0]}, ${second[1]}`);
  await context.close();
}

// The engine alone: M/M/1 with a million requests, two events each, recording and not, in turns.
const wasm = 'target/wasm32-unknown-unknown/release/overload_bench_wasm.wasm';
if (existsSync(wasm)) {
  const page = await browser.newPage();
  const rounds = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const module = await WebAssembly.compile(bytes);
    // What the glue would bring; nothing here calls it.
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
    const instance = await WebAssembly.instantiate(module, imports);
    const out = { recording: [], quiet: [], storm: [] };
    for (let round = 0; round < 6; round += 1) {
      for (const [name, record] of [['recording', 1], ['quiet', 0]]) {
        const begin = performance.now();
        instance.exports.mm1(1_000_000, record);
        if (round > 0) out[name].push(2e6 / (performance.now() - begin) / 1e3);
      }
      const begin = performance.now();
      const events = instance.exports.storm(1);
      if (round > 0) out.storm.push(events / (performance.now() - begin) / 1e3);
    }
    return out;
  }, readFileSync(wasm).toString('base64'));
  const median = (all) => all.sort((a, b) => a - b)[all.length >> 1].toFixed(1);
  console.log(`M/M/1 in WASM, 1 M arrivals, median of 5: recording ${median(rounds.recording)} M events/s, `
    + `not recording ${median(rounds.quiet)} M events/s; retry-storm's run: ${median(rounds.storm)} M events/s`);
}
await browser.close();
await site.close();
