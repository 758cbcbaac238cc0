// Wherever the site is put: under a sub-path, a strict policy, in frames, on careless servers, without script.

import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import {
  DIST, alive, bigSetups, browser, cards, catalogue, fewPages, follow, frames, languages, leave, lively, native, open, outcome, pages, prints, seedsDone, shows, until,
} from './support.mjs';
import { STRICT_CSP, serve } from './server.mjs';

async function served(t, options, folder = DIST) {
  const server = await serve(folder, options);
  t.after(() => server.close());
  return server;
}

const [card] = cards;
const [{ name: biggest }] = await bigSetups(card);

test('FAILURES 16: WASM served as text/plain still boots, and is fetched once', async (t) => {
  const server = await served(t, { wasmType: 'text/plain' });
  const page = await open(t, `${card}/`, { server });
  await shows(page, card, '');
  assert.equal(server.requests.filter((url) => url.includes('.wasm')).length, 1);
  const right = await served(t, {});
  await open(t, `${card}/`, { server: right });
  assert.equal(right.requests.filter((url) => url.includes('.wasm')).length, 1);
});

/** The page says that the app is not there, and the article is. */
async function says(page) {
  await until(page, 'the panel that says why', () => !document.querySelector('#fail').hidden);
  const panel = await page.evaluate(() => {
    const e = document.querySelector('#fail');
    return { seen: e.checkVisibility(), why: e.querySelector('pre').textContent, role: e.getAttribute('role'), buttons: e.querySelectorAll('button').length };
  });
  assert.ok(panel.seen && panel.why.length > 5 && panel.role === 'alert' && panel.buttons === 2, JSON.stringify(panel));
  assert.ok(await page.locator('svg.v:visible').count() > 0, 'the still figure is there');
}

test('FAILURES 16: without the WASM the page says so, and keeps text and still figure', async (t) => {
  const server = await served(t, { wasmMissing: true });
  const page = await open(t, `${card}/`, { server, live: false, allow: /404|wasm|WebAssembly|HTTP status/i });
  await says(page);
});

test('gate 9: a WASM file cut short: a panel, not a blank page; Reload works', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cut-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(DIST, folder, { recursive: true });
  const name = readdirSync(folder).find((file) => file.endsWith('.wasm'));
  truncateSync(join(folder, name), 100_000);
  const server = await served(t, {}, folder);
  const page = await open(t, `${card}/`, { server, live: false, allow: /wasm|WebAssembly|CompileError/i });
  await says(page);
  copyFileSync(join(DIST, name), join(folder, name));
  await page.click('#fail [data-do=reload]');
  await alive(page);
});

test('gate 9: an app that breaks down in the middle says so: reload and copy the state', async (t) => {
  const page = await open(t, `${card}/`, {
    allow: /./,
    init: () => {
      const made = WebAssembly.instantiateStreaming;
      WebAssembly.instantiateStreaming = async (...args) => {
        const result = await made.apply(WebAssembly, args);
        window.memory = result.instance.exports.memory;
        return result;
      };
    },
  });
  await page.evaluate(() => {
    new Uint8Array(window.memory.buffer).fill(0xff);
    document.querySelectorAll('[data-setup]')[1].click();
  });
  await until(page, 'the panel', () => !document.querySelector('#fail').hidden);
  assert.ok((await page.textContent('#fail pre')).length > 5);
  assert.ok(await page.isVisible('#fail [data-do=reload]') && await page.isVisible('#fail [data-do=copy-state]'));
});

test('FAILURES 17: under a sub-path, on a plain server: each page opened directly, each link and asset there', async (t) => {
  const server = await served(t, { prefix: '/x/y' });
  const seen = new Map();
  for (const path of pages) {
    // Where a page's script fetches from is the same for all; what its text links to is not.
    if (!fewPages.includes(path)) {
      const response = await fetch(server.url + path);
      assert.equal(response.status, 200, path);
      for (const [, href] of (await response.text()).matchAll(/\s(?:href|src)="([^"#]+)/g)) {
        const bare = new URL(href.replaceAll('&amp;', '&'), server.url + path).href.split('#')[0];
        if (!/^https?:/.test(bare)) continue;
        assert.ok(bare.startsWith(server.url), `${path}: ${bare} leaves the sub-path`);
        if (!seen.has(bare)) seen.set(bare, (await fetch(bare)).status);
      }
      continue;
    }
    const page = await open(t, path, { server, live: lively(path) });
    const urls = await page.evaluate(() => [
      ...[...document.querySelectorAll('[href], [src]')].map((e) => e.href?.baseVal ?? e.href ?? e.src),
      ...performance.getEntriesByType('resource').map((e) => e.name),
    ]);
    for (const url of urls.filter((u) => typeof u === 'string' && u.startsWith('http'))) {
      const bare = url.split('#')[0];
      assert.ok(bare.startsWith(server.url), `${path}: ${url} leaves the sub-path`);
      if (!seen.has(bare)) seen.set(bare, (await page.request.get(bare)).status());
    }
    const lost = await page.evaluate(() => [...document.querySelectorAll('a[href*="#"]')]
      .map((a) => a.hash.slice(1)).filter((id) => id && !id.includes('=') && !document.getElementById(id)));
    assert.deepEqual(lost, [], `${path}: anchors without a place`);
    await leave(page);
  }
  assert.deepEqual([...seen].filter(([, status]) => status !== 200), []);
  assert.ok(pages.every((path) => seen.has(server.url + path)), 'each page is linked from another');
});

test('a strict content security policy: everything works, the worker too, and nothing is refused', async (t) => {
  const server = await served(t, { headers: { 'content-security-policy': STRICT_CSP } });
  for (const path of [...new Set([...fewPages, ...pages.filter((path) => path.includes(card) || !/^vi|embed/.test(path))])]) {
    const page = await open(t, path, {
      server,
      live: lively(path),
      init: () => { window.refused = []; addEventListener('securitypolicyviolation', (e) => window.refused.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`)); },
    });
    if (lively(path)) assert.ok(await outcome(page), path);
    // What a reader can do is the same code on every page: one card, its embed, and both in the other language.
    if (path.includes(card)) {
      await follow(page, `setup=${biggest}`);
      await shows(page, card, `setup=${biggest}`, 30_000);
      assert.equal(page.workers().length, 1, `${path}: the worker works`);
      await follow(page, `setup=${catalogue[card].setups[0].name}`); // tables of a size that a reader would open
      await shows(page, card, '');
      await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
      await page.locator('figure canvas').first().hover();
      for (const file of ['svg', 'csv', 'png']) {
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-do=${file}]`).first().click()]);
        assert.match(download.suggestedFilename(), new RegExp(`\\.${file}$`));
      }
    }
    if (!path.includes('embed')) await page.click('[data-do=theme]');
    await frames(page);
    assert.deepEqual(await page.evaluate(() => window.refused), [], path);
    await leave(page);
  }
});

/** A page of another origin with the site in a frame. */
async function framed(t, src, attributes = '') {
  const html = `<!doctype html><html lang="en"><title>host</title><h1>An internal page</h1>
    <iframe src="${src}" title="figure" width="900" height="700" ${attributes}></iframe>
    <script>window.heights = [];
    addEventListener('message', (e) => {
      if (e.data?.type !== 'overload-playground-height') return;
      heights.push(e.data.height);
      if (window.listening) document.querySelector('iframe').height = e.data.height;
    });</script>`;
  const server = createServer((_, response) => { response.setHeader('content-type', 'text/html'); response.end(html); });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }));
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
  t.after(() => context.close());
  const page = await context.newPage();
  page.errors = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: 'commit' });
  await page.waitForSelector('iframe');
  const frame = await (await page.$('iframe')).contentFrame();
  return { page, frame };
}

test('FAILURES 13: in another origin’s frame without permissions it works, and Copy never claims what it has not done', async (t) => {
  const server = await served(t, {});
  for (const path of [`${card}/`, `${card}/embed/`]) {
    const { page, frame } = await framed(t, `${server.url}${path}#seed=7`);
    await alive(frame);
    await shows(frame, card, 'seed=7');
    await frame.evaluate((hash) => { location.hash = hash; }, `setup=${biggest}`);
    await shows(frame, card, `setup=${biggest}`, 30_000);
    await frame.click('[data-do=copy-link]');
    await frame.waitForSelector('dialog[open]');
    const copied = await frame.evaluate(() => {
      const field = document.activeElement;
      return { text: field.value.slice(field.selectionStart, field.selectionEnd), all: field.value, status: document.querySelector('[role=status]').textContent };
    });
    assert.match(copied.text, /^http.*=/);
    assert.equal(copied.text, copied.all, 'all of the text is selected');
    assert.doesNotMatch(copied.status, /copied/i);
    await frame.click('dialog .row button');
    await frames(frame);
    assert.ok(await frame.isVisible('dialog'), 'the dialog stays: nothing was copied');
    assert.doesNotMatch(await frame.textContent('[role=status]'), /copied/i);
    assert.deepEqual(page.errors, []);
  }
});

test('Copy says "copied" where it has copied', async (t) => {
  const page = await open(t, `${card}/#seed=7`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.click('[data-do=copy-link]');
  await until(page, 'word of it', () => /copied/i.test(document.querySelector('[role=status]').textContent));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
});

test('FAILURES 14: an embed says how high it is, in both languages and at any width, and scrolls nothing sideways', async (t) => {
  const server = await served(t, {});
  for (const prefix of Object.values(languages)) {
    const { page, frame } = await framed(t, `${server.url}${prefix}${card}/embed/`);
    await alive(frame);
    for (const width of [360, 600, 900]) {
      // A low frame of another width, in a page that gives it the height it asks for.
      await page.evaluate((width) => {
        const iframe = document.querySelector('iframe');
        window.listening = true;
        window.heights.length = 0;
        [iframe.width, iframe.height] = [width, 300];
      }, width);
      await until(frame, `${prefix} at ${width}: room for everything, and no more`, (width) => {
        const root = document.documentElement;
        return innerWidth === width && innerHeight > 300 && root.scrollHeight <= innerHeight && root.scrollWidth <= innerWidth
          && innerHeight - document.body.offsetHeight < 2;
      }, width);
      assert.ok(await page.evaluate(() => window.heights.length) <= 8, `${prefix} at ${width}: the height settles`);
    }
  }
});

test('in a sandboxed frame with scripts alone it runs, or says why not', async (t) => {
  const server = await served(t, { headers: { 'access-control-allow-origin': '*' } });
  const { frame } = await framed(t, `${server.url}${card}/embed/#seed=7`, 'sandbox="allow-scripts"');
  await until(frame, 'the app, or the reason', () => document.documentElement.hasAttribute('data-live') || document.querySelector('#fail')?.hidden === false);
  if (await frame.evaluate(() => document.documentElement.hasAttribute('data-live'))) {
    await shows(frame, card, 'seed=7');
    // No worker can be had there: the biggest setup runs in slices.
    await frame.evaluate((name) => document.querySelector(`[data-setup="${name}"]`).click(), biggest);
    await shows(frame, card, `setup=${biggest}`, 40_000);
  } else {
    assert.ok((await frame.textContent('#fail pre')).length > 5);
  }
});

test('nothing moves when the app takes over, two seconds late: layout shift ≤ 0.01 on every page at 390 and 1440 px', async (t) => {
  const server = await served(t, { delay: 2000 });
  const visit = async (path, width) => {
    const page = await open(t, path, {
      server,
      fresh: true,
      live: false,
      viewport: { width, height: 900 },
      init: () => {
        window.shifts = [];
        new PerformanceObserver((list) => list.getEntries().forEach((e) => window.shifts.push({
          value: e.value, what: e.sources.map((s) => s.node?.className ?? s.node?.nodeName),
        }))).observe({ type: 'layout-shift', buffered: true });
      },
    });
    if (lively(path)) {
      await alive(page);
      if (!path.includes('embed')) await seedsDone(page);
    }
    await frames(page, 5);
    const shifts = await page.evaluate(() => window.shifts);
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    assert.ok(sum <= 0.01, `${path} at ${width}: ${sum} ${JSON.stringify(shifts)}`);
    await leave(page);
  };
  // Each card at both widths, one in each language; what every page has in common, all ways.
  const visits = pages.flatMap((path) => [390, 1440].map((width) => [path, width]))
    .filter(([path, width]) => !lively(path) || path.includes(card) || path.startsWith('vi') === (width === 390))
    // An embed is a part of its page.
    .filter(([path]) => fewPages.includes(path) || path.includes(card) || !path.includes('embed'));
  while (visits.length > 0) await Promise.all(visits.splice(0, 4).map((visited) => visit(...visited)));
});

test('without JavaScript: prose, still figure, table and controls are there, the controls disabled', async (t) => {
  // A card's parts are the same in each language and in its embed.
  for (const path of pages.filter((path) => lively(path) && (fewPages.includes(path) || !/^vi|embed/.test(path)))) {
    const page = await open(t, path, { live: false, javaScriptEnabled: false });
    assert.ok(await page.locator('figure[data-chart] svg.v:visible').count() > 0, `${path}: a still figure`);
    assert.equal(await page.locator('figure canvas').count(), 0);
    assert.ok(await page.locator('[data-knob] input').count() > 0, `${path}: controls`);
    const enabled = page.locator('#app :is(input, select, button):not(:disabled, dialog *)');
    assert.deepEqual(await enabled.evaluateAll((all) => all.map((e) => e.outerHTML.slice(0, 120))), [], `${path}: nothing pretends to work`);
    if (path.includes('embed')) continue;
    assert.ok(await page.locator('noscript').isVisible(), `${path}: says so`);
    const [own] = cards.filter((c) => path.includes(`${c}/`));
    assert.equal(await page.locator('#article td[data-col=article]').count() > 0, prints(own), `${path}: the article’s figures`);
    const { figures } = native(own);
    for (const row of await page.locator('#article tr[data-figure]').all()) {
      const key = await row.getAttribute('data-figure');
      const text = (await row.locator('[data-col=yours]').textContent()).trim();
      const value = Number(path.startsWith('vi') ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', ''));
      const near = Math.abs(value - figures[key].value) <= Math.max(0.051, Math.abs(figures[key].value) * 0.01);
      assert.ok(near, `${path}: ${key} is ${text}, the engine says ${figures[key].value}`);
    }
    await page.locator('details.data summary').first().click();
    assert.ok(await page.locator('details.data table tbody tr:visible').count() > 3, `${path}: the data table`);
    await leave(page);
  }
});

test('gate 1: with the network gone after the load, everything goes on', async (t) => {
  const page = await open(t, `${card}/`, { fresh: true });
  await seedsDone(page);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.context().setOffline(true);
  await page.click(`[data-setup="${biggest}"]`);
  await shows(page, card, `setup=${biggest}`, 30_000);
  assert.deepEqual(asked, []);
});
