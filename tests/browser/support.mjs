// What the browser tests share: the built site on a plain server, one Chromium a file, and words for what a reader does
// and sees. Every page watches itself: an error in the console, an uncaught one, or a request to anybody else fails the
// test that opened it.
//
//   DIST       the built site               dist
//   OVERLOAD   the native program           target/debug/overload
//   CHROME     the browser                  .tools/chrome, else /usr/bin/chromium

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after } from 'node:test';
import { chromium } from 'playwright-core';
import { serve } from './server.mjs';

export const DIST = process.env.DIST ?? 'dist';
const OVERLOAD = process.env.OVERLOAD ?? 'target/debug/overload';
const CHROME = process.env.CHROME ?? (existsSync('.tools/chrome') ? '.tools/chrome' : '/usr/bin/chromium');
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];

export const browser = await chromium.launch({ executablePath: CHROME, args: FLAGS });
export const site = await serve(DIST);
after(async () => {
  await browser.close();
  await site.close();
});

/** The cards, as the home page lists them: a new card is tested without a new test. */
export const cards = [...readFileSync(`${DIST}/index.html`, 'utf8').matchAll(/<li data-a="[^"]*"><a href="([\w-]+)\/"/g)].map((m) => m[1]);
assert.ok(cards.length > 0, 'the home page lists no card');
/** Two of them, for what is the same machinery on every page. */
export const few = cards.slice(0, 2);
export const languages = { en: '', vi: 'vi/' };
/** Every page of the site, as a path. */
export const pages = Object.values(languages).flatMap((lang) =>
  ['', 'guardrails/', ...cards.flatMap((card) => [`${card}/`, `${card}/embed/`])].map((page) => lang + page));

/** Those of no card, and of `few` cards: where only what all pages have in common is looked at. */
export const fewPages = pages.filter((path) => few.some((card) => path.includes(card)) || !cards.some((card) => path.includes(card)));

/** Whether the app runs on this page. */
export const lively = (path) => cards.some((card) => path.includes(card));

// ---------- the native program ----------

const program = (...args) => JSON.parse(execFileSync(OVERLOAD, [...args, '--json'], { encoding: 'utf8', maxBuffer: 1e9 }));
/** Knobs and setups of all cards, by slug. */
export const catalogue = Object.fromEntries(program('cards').map((card) => [card.card, card]));
/** Whether an article prints a figure of this card: then its page has a table that compares. */
export const prints = (card) => catalogue[card].setups.some((setup) => Object.keys(setup.article).length > 0);
/**
 * Cards that have every kind of control between them, with as few controls as will do. What is the same machinery on each page is
 * tested on these; what a card can get wrong by itself, on all.
 */
export const varied = (() => {
  const kinds = (card) => catalogue[card].knobs.flatMap(({ key, kind, log, choices }) =>
    [kind, `log ${log}`, choices && (choices.length > 4 ? 'list' : 'radios'), /_\d+$/.test(key) && `${choices ? 'choices' : 'numbers'} of a list`].filter(Boolean));
  const left = new Set(cards.flatMap(kinds));
  const chosen = [];
  while (left.size > 0) {
    const news = (card) => new Set(kinds(card).filter((kind) => left.has(kind))).size / catalogue[card].knobs.length;
    const [best] = cards.toSorted((a, b) => news(b) - news(a));
    chosen.push(best);
    for (const kind of kinds(best)) left.delete(kind);
  }
  return chosen;
})();
/** The native run of `pairs` (`clients=500&seed=7`): its figures and its hash. */
export const native = (card, pairs = '') => program('run', card, ...pairs.split('&').filter(Boolean));

/** A random number generator that is the same in every run. */
export function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Random pairs for a card, over the whole range of each knob, the small values as likely as the big ones. */
export function randomPairs(card, random) {
  const pick = (knob) => {
    if (knob.kind === 'choice') return knob.choices[Math.floor(random() * knob.choices.length)].key;
    if (knob.kind === 'switch') return random() < 0.5 ? 'on' : 'off';
    const { min, max } = knob;
    // A ratio's grid may be finer than whole numbers; its steps are not.
    const step = Math.min(knob.step, 1);
    const value = min + (Math.exp(random() * Math.log1p(max - min)) - 1);
    return String(Number(Math.max(min, Math.round(value / step) * step).toFixed(6)));
  };
  const pairs = catalogue[card].knobs.filter(() => random() < 0.6).map((knob) => `${knob.key}=${pick(knob)}`);
  return [...pairs, `seed=${Math.floor(random() * 2 ** 53)}`].join('&');
}

// ---------- pages ----------

/**
 * Opens `path` and waits until the app runs. Options: `server`, `live: false` (do not wait), `allow` (a pattern for console
 * errors that the test provokes), `init` (a function run before the page's scripts), `fresh` (a profile of its own: for a test
 * that leaves a mark on it), and Playwright's for a context (`viewport`, `colorScheme`, …).
 *
 * A page that a test has done with is emptied and used again by the next that asks for the same: to start a browser process and
 * to compile the app in it takes three times as long as all the rest. The app itself always starts anew.
 */
export async function open(t, path, options = {}) {
  const page = await visit(path, options);
  t.after(() => leave(page));
  return page;
}

/** Done with a page before the test ends: for tests that look at many. */
export async function leave(page) {
  if (page.left) return;
  page.left = true;
  const problems = page.problems.splice(0);
  if (page.spent || page.isClosed()) await page.context().close();
  else {
    try {
      await page.mouse.up();
      await page.emulateMedia({ media: null, colorScheme: page.options.colorScheme ?? 'light', forcedColors: null, reducedMotion: page.options.reducedMotion ?? null });
      // A session takes Playwright's own size along, which Playwright does not notice.
      if (page.sessions.length > 0) await page.setViewportSize({ width: 800, height: 600 });
      for (const session of page.sessions.splice(0)) await session.detach().catch(() => {});
      await page.setViewportSize(page.options.viewport ?? WIDE);
      await page.evaluate(() => localStorage.clear());
      await page.goto('about:blank');
      page.problems.length = 0;
      idle.push(page);
      if (idle.length > 3) await idle.shift().context().close();
    } catch {
      await page.context().close();
    }
  }
  assert.deepEqual(problems, [], 'the page had problems');
}

/** Pages that nobody uses. */
const idle = [];
const WIDE = { width: 1440, height: 900 };

/**
 * As `open`, but tests of a file that follow one another get the same page: with the card's first setup, in the light
 * theme, and whatever is unfolded stays so. `options` are compared as text.
 */
export async function shared(t, path, options) {
  const key = path + named(options);
  if (kept?.key !== key) {
    if (kept) await leave(kept.page);
    kept = { key, page: await visit(path, options) };
  } else {
    await kept.page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await kept.page.evaluate(() => document.querySelector('[data-setup]').click());
    await settled(kept.page);
  }
  const { page } = kept;
  t.after(() => assert.deepEqual(page.problems.splice(0), [], 'the page had problems'));
  return page;
}
let kept;

/** Options as text. */
const named = (options = {}) => JSON.stringify(options, (_, value) => (typeof value === 'function' ? String(value) : value));

async function visit(path, { server = site, live = true, allow, init, fresh = false, ...options } = {}) {
  const lasting = !fresh && !allow;
  const key = lasting && named({ server: server.url, init, ...options });
  const at = lasting ? idle.findIndex((page) => page.key === key) : -1;
  const [page] = at < 0 ? [await blank(options, init)] : idle.splice(at, 1);
  Object.assign(page, { key, options, left: false, spent: !lasting, sessions: [] });
  if (!page.problems) page.problems = watch(page, server, allow);
  await page.goto(new URL(path, server.url).href, { waitUntil: live ? 'commit' : 'load' });
  if (live) await alive(page);
  return page;
}

/** A page in a fresh profile. */
async function blank(options, init) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.addInitScript(noteSeeds);
  if (init) await page.addInitScript(init);
  return page;
}

/**
 * In the page: notes when the worker has done all that the article's table lacks, setups and seeds: not every page shows
 * that. One order follows the other from within the answer, so between two tasks none is missing.
 */
const noteSeeds = () => {
  const ARTICLE = 2;
  const Real = window.Worker;
  let asked = 0;
  window.Worker = class extends Real {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        if (data[0] === ARTICLE && data[2] === 1) window.articleSeeds = --asked === 0;
      });
    }

    postMessage(message, ...rest) {
      if (message[0] === 'order' && message[1] === ARTICLE) {
        asked += 1;
        window.articleSeeds = false;
      }
      super.postMessage(message, ...rest);
    }
  };
};

/** Collects what a page must not do. */
function watch(page, server, allow) {
  const problems = [];
  const note = (text) => { if (!allow?.test(text)) problems.push(text); };
  const origin = new URL(server.url).origin;
  page.on('console', (message) => { if (message.type() === 'error') note(`console: ${message.text()}`); });
  page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) note(`foreign request: ${url}`);
  });
  return problems;
}

/** Waits until the app has taken the page over. */
export const alive = (page) => page.waitForSelector('html[data-live]', { state: 'attached' });

/** A session of the developer tools' protocol; what it sets ends with the test. */
export async function cdp(page) {
  const session = await page.context().newCDPSession(page);
  page.sessions.push(session);
  return session;
}

/** Waits for `count` animation frames. */
export const frames = (page, count = 2) =>
  page.evaluate(async (n) => { while (n-- > 0) await new Promise(requestAnimationFrame); }, count);

/** Waits until the page scrolls no more. */
export const still = (page) => page.evaluate(async () => {
  for (let rest = 0, y = scrollY; rest < 10; rest += 1) {
    await new Promise(requestAnimationFrame);
    if (scrollY !== y) [rest, y] = [0, scrollY];
  }
});

/** Waits until `what` (run in the page) is true, or fails with `message`. */
export async function until(page, message, what, argument, timeout = 15_000) {
  try {
    await page.waitForFunction(what, argument, { timeout });
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error;
    assert.fail(`never: ${message}`);
  }
}

/** Waits until every canvas shows what its figure says: those off the screen catch up once the hand rests. */
export const painted = (page) => until(page, 'every chart painted', () =>
  [...document.querySelectorAll('figure[data-chart]')].every((f) => f.querySelector('canvas')?.dataset.painted === f.dataset.hash));

/** What a reader sees of the run. */
export const shown = (page) => page.evaluate(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent.trim());
  const pixels = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (const word of new Uint32Array(data.buffer)) hash = (Math.imul(hash, 31) + word) | 0;
    return hash;
  };
  return {
    outcome: document.querySelector('[data-outcome]')?.dataset.outcome,
    charts: [...document.querySelectorAll('figure[data-chart]')].map((f) => f.dataset.hash),
    pixels: [...document.querySelectorAll('figure[data-chart] canvas')].map(pixels),
    yours: all('#article td[data-col=yours]').join(' | '),
    setup: all('#article td[data-col=setup]').join(' | '),
    insight: all('.insight').join(' '),
    link: location.hash,
  };
});

/** No seeds beside the run, where the page offers any. */
export const oneSeed = (page) => page.evaluate(() => document.querySelector('[data-seeds="1"]')?.click());

export const outcome = (page) => page.evaluate(() => document.querySelector('[data-outcome]')?.dataset.outcome);

/** Waits until the page shows the run whose hash the native program gives for `pairs`. */
export async function shows(page, card, pairs, timeout) {
  const { hash } = native(card, pairs);
  await until(page, `the native run of ${card} ${pairs} (${hash}) on the page`,
    (hash) => document.querySelector('[data-outcome]')?.dataset.outcome === hash, hash, timeout);
}

/** Waits until the page shows another run than `before`. */
export const changedFrom = (page, before) =>
  until(page, 'another outcome than before', (old) => document.querySelector('[data-outcome]').dataset.outcome !== old, before);

/** Follows a link on the page to `pairs`. */
export const follow = (page, pairs) => page.evaluate((hash) => { location.hash = hash; }, pairs);

/** Waits until the page shows the run of its controls: within two frames, or where that takes a worker once it is back. */
export async function settled(page) {
  await frames(page, 2);
  await until(page, 'no run under way', () => !document.querySelector('.plot.computing'));
}

/** Waits until the seeds that the page has asked for, the article's among them, are there. */
export const seedsDone = (page) => until(page, 'all seeds run', () => {
  const bands = [...document.querySelectorAll('#article td[data-col=setup] small')].map((e) => e.textContent);
  return window.articleSeeds && !bands.includes('\u00a0') && document.querySelector('.seeds').classList.contains('idle');
});

/**
 * How long each task of the page's thread was at work while `what` ran, in ms, the longest first. The thread's own time,
 * not the clock's: another program on the machine makes no task longer.
 */
export async function tasks(page, what) {
  await browser.startTracing(page, { categories: ['toplevel', '-*'] });
  await what();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const thread = ({ pid, tid }) => `${pid}/${tid}`;
  const renderers = new Set(traceEvents.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map(thread));
  const times = traceEvents.filter((e) => e.ph === 'X' && e.name.endsWith('RunTask') && renderers.has(thread(e))).map((e) => e.tdur);
  assert.ok(times.length > 10 && times.every(Number.isFinite), 'the browser tells thread times');
  return times.map((us) => us / 1000).sort((a, b) => b - a);
}

// ---------- runs too big for a frame ----------

/** The setups of `card` whose runs are too big for a frame, with their times in ms, the longest first. */
export async function bigSetups(card) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL(`${card}/`, site.url).href, { waitUntil: 'commit' });
  await alive(page);
  const found = await page.evaluate(async () => {
    const plot = document.querySelector('.plot');
    const computing = () => plot.classList.contains('computing');
    // A run may be back before the next look.
    let away = false;
    new MutationObserver(() => { away ||= computing(); }).observe(plot, { attributeFilter: ['class'] });
    const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const big = [];
    for (const button of document.querySelectorAll('[data-setup]')) {
      away = false;
      const start = performance.now();
      button.click();
      await turn();
      if (!away) continue;
      while (computing()) await turn();
      big.push({ name: button.dataset.setup, ms: performance.now() - start });
    }
    return big.sort((a, b) => b.ms - a.ms);
  });
  await context.close();
  return found;
}

/** The card with the biggest of them by its own estimate, and those that it has. */
export async function heaviest() {
  const most = (card) => Math.max(...catalogue[card].setups.map(({ events }) => events));
  const [card] = cards.toSorted((a, b) => most(b) - most(a));
  return { card, setups: await bigSetups(card) };
}

// ---------- knobs ----------

/** Opens every folded part, so that everything is in sight. */
export const unfold = (page) => page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));

/** A click on the knob's reset, whether or not it can be seen. */
export const reset = (page, key) => page.locator(`[data-knob="${key}"] [data-do=reset]`).evaluate((button) => button.click());

/** The keys of the sliders in sight. */
export const sliders = (page) => page.$$eval('[data-knob]:not([hidden]) input[type=range]', (all) =>
  all.filter((e) => e.checkVisibility()).map((e) => e.closest('[data-knob]').dataset.knob));

export const slider = (page, key) => page.locator(`[data-knob="${key}"] input[type=range]`);

/** Moves a slider as a script would: to the stop, with the event that a hand makes. */
export const slide = (page, key, stop) => page.evaluate(([key, stop]) => {
  const input = document.querySelector(`[data-knob="${key}"] input[type=range]`);
  input.value = stop;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}, [key, stop]);

/** All that a numeric knob shows. */
export const knob = (page, key) => page.evaluate((key) => {
  const root = document.querySelector(`[data-knob="${key}"]`);
  const range = root.querySelector('input[type=range]');
  return {
    stop: Number(range.value),
    last: Number(range.max),
    said: range.getAttribute('aria-valuetext'),
    number: root.querySelector('input.num').value,
    unit: root.querySelector('.unit').textContent,
    share: Number(getComputedStyle(range).getPropertyValue('--v')),
    why: root.querySelector('.why').textContent,
    invalid: root.querySelector('input.num').getAttribute('aria-invalid'),
    changed: root.querySelector('.knob').classList.contains('changed'),
  };
}, key);

/** The first slider of which each of the next `moves` stops, counted as `at` says, gives another run and another first chart. */
export async function telling(page, moves, at = (start, move) => start + move) {
  const first = await sliders(page);
  // Where none in sight does, one that is folded away may.
  const look = async () => {
    await unfold(page);
    return (await sliders(page)).filter((key) => !first.includes(key));
  };
  return await tellingOf(page, first, moves, at) ?? await tellingOf(page, await look(), moves, at)
    ?? assert.fail(`no slider changes the run at each of ${moves} moves`);
}

async function tellingOf(page, keys, moves, at) {
  const looks = async () => [await outcome(page), await page.getAttribute('figure[data-chart]', 'data-hash')];
  for (const key of keys) {
    const { stop, last } = await knob(page, key);
    const stops = Array.from({ length: moves }, (_, i) => at(stop, i + 1, last));
    if (stops.some((s) => s < 0 || s > last)) continue;
    const [runs, charts] = (await looks()).map((look) => new Set([look]));
    for (const s of stops) {
      await slide(page, key, s);
      await settled(page);
      const [run, chart] = await looks();
      runs.add(run);
      charts.add(chart);
    }
    await reset(page, key);
    await settled(page);
    if (runs.size === moves + 1 && charts.size > moves / 2) return key;
  }
  return undefined;
}

/** The thumb's width. */
export const thumb = 14;

/** Takes hold of a slider's thumb with the mouse. Gives `move(stops)`, by so many stops from where it was. */
export async function grab(page, key) {
  const input = slider(page, key);
  await input.scrollIntoViewIfNeeded();
  const box = await input.boundingBox();
  const { stop, last } = await knob(page, key);
  // The thumb's middle runs half a thumb inside of the ends.
  const x = (at) => box.x + thumb / 2 + (at / last) * (box.width - thumb);
  const y = box.y + box.height / 2;
  await page.mouse.move(x(stop), y);
  await page.mouse.down();
  return { at: stop, last, to: (at) => page.mouse.move(x(at), y), perStop: (box.width - thumb) / last };
}

/** In the page: `contrast(a, b)` of two CSS colours. */
export const measure = () => {
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = rgb(color).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  window.contrast = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };
  window.token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
};

/** Both themes. */
export const themes = ['light', 'dark'];
