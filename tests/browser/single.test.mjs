// The one file: opened from a disk, and in sandboxed frames without any address.
//
//   SINGLE     the file; dist-single/overload-playground.html
//   OVERLOAD   the native program; target/debug/overload

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const FILE = resolve(process.env.SINGLE ?? 'dist-single/overload-playground.html');
const OVERLOAD = resolve(process.env.OVERLOAD ?? 'target/debug/overload');
const URL_OF_FILE = pathToFileURL(FILE).href;
const LIMIT = 1_500_000;
const LIVE = 'html[data-live]';

const outcome = (...pairs) => JSON.parse(execFileSync(OVERLOAD, ['run', 'jitter', ...pairs, '--json'])).hash;

let browser;
let folder;
before(async () => {
  browser = await chromium.launch({
    executablePath: [process.env.CHROME, resolve('.tools/chrome'), '/usr/bin/chromium'].find((path) => path && existsSync(path)),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  folder = mkdtempSync(join(tmpdir(), 'single-'));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

// A page that holds the file to its word: nothing asked for but documents, nothing on the console.
async function open(url, { script } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (!request.isNavigationRequest() && !/^(blob|data):/.test(request.url())) wrong.push(`request: ${request.url()}`);
  });
  if (script) await page.addInitScript(script);
  await page.goto(url);
  return {
    page,
    close: async () => {
      await context.close();
      assert.deepEqual(wrong, []);
    },
  };
}

// A page with nothing but a frame: an HTML attribute's worth of `attributes`.
async function openFramed(attributes, sandbox = 'sandbox="allow-scripts"') {
  const file = join(folder, `frame-${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, `<!doctype html><title>frame</title><iframe ${sandbox} width="1200" height="850" ${attributes}></iframe>`);
  const opened = await open(pathToFileURL(file).href);
  const frame = await (await opened.page.waitForSelector('iframe')).contentFrame();
  return { ...opened, frame };
}

const shows = (frame) => frame.locator('[data-outcome]').getAttribute('data-outcome');

async function showsSoon(frame, hash) {
  await frame.waitForSelector(`[data-outcome="${hash}"]`);
}

// Sets the first slider as a hand would.
async function drag(page, frame) {
  const slider = frame.locator('[data-knob] input[type="range"]:visible').first();
  await slider.scrollIntoViewIfNeeded();
  const before = await shows(frame);
  const box = await slider.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  for (const share of [0.4, 0.3, 0.2]) await page.mouse.move(box.x + box.width * share, y);
  await page.mouse.up();
  await frame.waitForFunction((old) => document.querySelector('[data-outcome]').dataset.outcome !== old, before);
}

// Many seeds in the worker: started on the page, finished when the button is pressed and nothing is under way.
async function manySeeds(frame) {
  const button = frame.locator('[data-seeds]').last();
  await button.scrollIntoViewIfNeeded();
  await button.click();
  await frame.waitForSelector('.seeds:not(.idle)');
  await frame.waitForSelector('.seeds.idle', { state: 'attached', timeout: 60_000 });
}

// Counts what the worker sends, without touching it.
const COUNT_REPORTS = () => {
  window.reports = 0;
  const Real = window.Worker;
  window.Worker = class extends Real {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', (event) => { if (event.data.length === 4) window.reports += 1; });
    }
  };
};

test('the file is small and holds everything', () => {
  assert.ok(statSync(FILE).size <= LIMIT, `${statSync(FILE).size} bytes`);
  const html = readFileSync(FILE, 'utf8');
  // Whatever has a src or href in the file's own markup is inside of it.
  for (const [, value] of html.matchAll(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]*)"/g)) {
    assert.match(value, /^data:/);
  }
});

describe('from a disk', () => {
  test('the home page lists the cards, and leads to one and back', async () => {
    const { page, close } = await open(URL_OF_FILE);
    const cards = JSON.parse(execFileSync(OVERLOAD, ['cards', '--json']));
    const count = (cards.cards ?? cards).length;
    await page.waitForSelector('.map li');
    assert.equal(await page.locator('.map li').count(), count);
    assert.equal(await page.locator('.map li a[href^="#card="]').count(), count);
    await page.click('.map a[href="#card=jitter"]');
    await page.waitForSelector(LIVE);
    assert.equal(await page.evaluate(() => location.hash), '#card=jitter');
    assert.match(await page.title(), /^Jitter/);
    await page.goBack();
    await page.waitForSelector('.map li');
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.goForward();
    await page.waitForSelector(LIVE);
    await close();
  });

  test('a link gives the program’s outcome, and dragging changes it and the address', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter&clients=500&seed=7`);
    await page.waitForSelector(LIVE);
    assert.equal(await shows(page), outcome('clients=500', 'seed=7'));
    assert.equal(await page.locator('.notices li').count(), 0);
    await drag(page, page);
    await page.waitForFunction(() => !location.hash.includes('clients=500'));
    const hash = await page.evaluate(() => location.hash.slice(1));
    assert.match(hash, /^card=jitter&/);
    await showsSoon(page, outcome(...hash.split('&').filter((pair) => !pair.startsWith('card='))));
    // The same after a reload.
    const before = await shows(page);
    await page.reload();
    await page.waitForSelector(LIVE);
    assert.equal(await shows(page), before);
    await close();
  });

  test('the worker does the many seeds', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter`, { script: COUNT_REPORTS });
    const workers = [];
    page.on('worker', (worker) => workers.push(worker));
    await page.waitForSelector(LIVE);
    await manySeeds(page);
    assert.equal(page.workers().length, 1);
    assert.match(page.workers()[0].url(), /^blob:/);
    assert.ok(await page.evaluate(() => window.reports) > 0);
    await close();
  });

  test('where workers are refused the page works alone', async () => {
    const refuse = () => { window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } }; };
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter`, { script: refuse });
    await page.waitForSelector(LIVE);
    await manySeeds(page);
    assert.equal(page.workers().length, 0);
    await close();
  });

  test('the language link keeps the state', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter&clients=500&seed=7`);
    await page.waitForSelector(LIVE);
    await page.click('a[hreflang="vi"]');
    await page.waitForSelector(`html[lang="vi"][data-live]`);
    assert.equal(await page.evaluate(() => location.hash), '#card=jitter&lang=vi&clients=500&seed=7');
    assert.equal(await shows(page), outcome('clients=500', 'seed=7'));
    assert.equal(await page.locator('.notices li').count(), 0);
    // Written state stays on the Vietnamese page, and so does the default.
    await drag(page, page);
    await page.waitForFunction(() => !location.hash.includes('clients=500'));
    assert.match(await page.evaluate(() => location.hash), /^#card=jitter&lang=vi&/);
    await page.click('[data-setup="article"]');
    await page.waitForFunction(() => !location.hash.includes('clients='));
    assert.match(await page.evaluate(() => location.hash), /^#card=jitter&lang=vi(&seed=7)?$/);
    await page.goBack();
    await page.waitForSelector(`html[lang="en"][data-live]`);
    assert.equal(await shows(page), outcome('clients=500', 'seed=7'));
    await close();
  });

  test('state that is left behind does not reach the next page', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter`);
    await page.waitForSelector(LIVE);
    await drag(page, page);
    await page.click('header nav a');
    await page.waitForSelector('.map li');
    assert.equal(await page.evaluate(() => location.hash), '#lang=en');
    await close();
  });

  test('an anchor moves the focus and changes nothing', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter&clients=500`);
    await page.waitForSelector(LIVE);
    await page.focus('a.skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    assert.equal(await page.evaluate(() => location.hash), '#card=jitter&clients=500');
    assert.equal(await shows(page), outcome('clients=500'));
    await close();
  });

  test('the copied link is the file’s', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter&clients=500`, {
      script: () => Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } }),
    });
    await page.waitForSelector(LIVE);
    await page.click('[data-do="copy-link"]');
    await page.waitForFunction(() => window.copied);
    assert.equal(await page.evaluate(() => window.copied), `${URL_OF_FILE}#card=jitter&clients=500`);
    await page.click('[data-do="embed"]');
    assert.ok((await page.inputValue('#dlg-text')).includes(`src="${URL_OF_FILE}#card=jitter&amp;clients=500"`));
    await close();
  });

  test('light and dark', async () => {
    const { page, close } = await open(URL_OF_FILE);
    await page.waitForSelector('.map li');
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await paper();
    await page.click('[data-do="theme"]');
    assert.notEqual(await paper(), before);
    await close();
  });

  test('an unknown card is the home page', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=__proto__&lang=xx`);
    await page.waitForSelector('.map li');
    await close();
  });

  test('text and a still stay where WASM is refused', async () => {
    const { page, close } = await open(`${URL_OF_FILE}#card=jitter`, {
      script: () => { WebAssembly.compile = async () => { throw new Error('refused'); }; },
    });
    await page.waitForSelector('#fail:not([hidden])');
    assert.equal(await page.textContent('#fail pre'), 'Error: refused');
    assert.ok(await page.isVisible('#app svg'));
    assert.ok(await page.isVisible('h1'));
    await close();
  });
});

describe('in a frame', () => {
  // A server that says nothing of other origins.
  let server;
  let served;
  before(async () => {
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(readFileSync(FILE)));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    served = `http://127.0.0.1:${server.address().port}/`;
  });
  after(() => { server.closeAllConnections(); server.close(); });

  for (const [how, attributes] of [
    ['src from a disk', () => `src="${URL_OF_FILE}#card=jitter&amp;clients=500&amp;seed=7"`],
    ['src from a server', () => `src="${served}#card=jitter&amp;clients=500&amp;seed=7"`],
    // There is no fragment in a srcdoc: the frame's name says the same.
    ['srcdoc', () => {
      const html = readFileSync(FILE, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
      return `name="card=jitter&amp;clients=500&amp;seed=7" srcdoc="${html}"`;
    }],
  ]) {
    test(`by ${how}: outcome, dragging, worker, languages`, async () => {
      const { page, frame, close } = await openFramed(attributes());
      await frame.waitForSelector(LIVE);
      assert.equal(await frame.evaluate(() => origin), 'null');
      assert.equal(await shows(frame), outcome('clients=500', 'seed=7'));
      await manySeeds(frame);
      assert.equal(page.workers().length, 1);
      await frame.click('a[hreflang="vi"]');
      await frame.waitForSelector('html[lang="vi"][data-live]');
      assert.equal(await shows(frame), outcome('clients=500', 'seed=7'));
      await drag(page, frame);
      await frame.waitForFunction(() => !location.hash.includes('clients=500'));
      assert.match(await frame.evaluate(() => location.hash), /^#card=jitter&lang=vi&/);
      await frame.click('header nav a');
      await frame.waitForSelector('.map li');
      await frame.click('.map a[href^="#card=jitter"]');
      await frame.waitForSelector('html[lang="vi"][data-live]');
      assert.equal(await shows(frame), outcome());
      await close();
    });
  }

  test('a frame of a file without a sandbox changes its language too', async () => {
    const { frame, close } = await openFramed(`src="${URL_OF_FILE}#card=jitter&amp;clients=500"`, '');
    await frame.waitForSelector(LIVE);
    await frame.click('a[hreflang="vi"]');
    await frame.waitForSelector('html[lang="vi"][data-live]');
    assert.equal(await shows(frame), outcome('clients=500'));
    await close();
  });

  test('by srcdoc without a name: the home page', async () => {
    const html = readFileSync(FILE, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const { frame, close } = await openFramed(`srcdoc="${html}"`);
    await frame.waitForSelector('.map li');
    await frame.click('.map a[href="#card=jitter"]');
    await frame.waitForSelector(LIVE);
    assert.equal(await shows(frame), outcome());
    await close();
  });
});
