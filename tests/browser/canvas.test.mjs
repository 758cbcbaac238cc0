// The chart's bitmap: sharp, as big as its box, in the theme's colours, and never the reason why a page moves.

import assert from 'node:assert/strict';
import test from 'node:test';
import { cards, catalogue, cdp, few, fewPages, follow, frames, leave, lively, oneSeed, open, pages, painted, seedsDone, settled, shown, shows, until, varied } from './support.mjs';

const boxes = (page) => page.evaluate(() => [...document.querySelectorAll('figure[data-chart] canvas')].map((c) => ({
  width: c.width, height: c.height, cssWidth: c.clientWidth, cssHeight: c.clientHeight,
  parent: c.closest('figure').parentElement.clientWidth, dpr: devicePixelRatio,
})));

/** Waits until each bitmap fits its box, or says which does not. */
async function fits(page, what) {
  await until(page, `${what}: bitmap = box × ratio`, () => [...document.querySelectorAll('figure[data-chart] canvas')]
    .every((c) => c.width === Math.round(c.clientWidth * devicePixelRatio) && c.height === Math.round(c.clientHeight * devicePixelRatio)),
  null, 3000).catch(async () => assert.fail(`${what}: ${JSON.stringify(await boxes(page))}`));
}

const screen = (session, width, height, deviceScaleFactor) =>
  session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor, mobile: false });

for (const card of cards) {
  if (few.includes(card)) test(`${card}: FAILURES 1: another monitor or a zoom gives a bitmap of the new ratio`, async (t) => {
    const page = await open(t, `${card}/`);
    const session = await cdp(page);
    // Chromium's emulation tells a page of a new ratio only together with a new size. The page is no wider at 1801 px
    // than at 1800, so the boxes stay and the ratio alone must be noticed.
    await screen(session, 1800, 900, 1);
    await fits(page, 'at first');
    const [{ cssWidth }] = await boxes(page);
    for (const [i, ratio] of [2, 4, 1.25, 3, 1].entries()) {
      await screen(session, 1801 + i, 900, ratio);
      await until(page, `a ratio of ${ratio}`, (ratio) => devicePixelRatio === ratio, ratio);
      await fits(page, `at ${ratio}`);
      assert.equal((await boxes(page))[0].cssWidth, cssWidth, 'the box stays');
    }
  });

  if (few.includes(card)) test(`${card}: FAILURES 2: the chart shrinks with the window as it grew`, async (t) => {
    const page = await open(t, `${card}/`);
    for (const width of [1400, 500, 320, 700, 320, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      await fits(page, `at ${width}`);
      for (const box of await boxes(page)) assert.ok(box.cssWidth <= box.parent && box.cssWidth > 200, JSON.stringify(box));
    }
  });

  if (few.includes(card)) test(`${card}: FAILURES 3: canvas and box do not enlarge each other`, async (t) => {
    const page = await open(t, `${card}/`, {
      init: () => {
        const Observer = ResizeObserver;
        window.resizes = 0;
        window.ResizeObserver = class extends Observer {
          constructor(callback) { super((...args) => { window.resizes += 1; callback(...args); }); }
        };
      },
    });
    await page.evaluate(() => document.querySelectorAll('.plot').forEach((plot) => { plot.parentElement.style.height = '100%'; }));
    await frames(page, 10);
    const before = await boxes(page);
    await page.evaluate(() => { window.resizes = 0; });
    await frames(page, 120);
    assert.deepEqual(await boxes(page), before);
    assert.ok(await page.evaluate(() => window.resizes) <= 2, 'observers rest');
  });

  if (varied.includes(card)) test(`${card}: FAILURES 12: a switch of theme repaints at once, to what a page opened in that theme shows`, async (t) => {
    const page = await open(t, `${card}/`, { colorScheme: 'light' });
    const dark = await open(t, `${card}/`, { colorScheme: 'dark' });
    for (const p of [page, dark]) {
      // The spread of the article's seeds is part of a chart: both must have it.
      await seedsDone(p);
      await painted(p);
    }
    const light = (await shown(page)).pixels;
    const wanted = (await shown(dark)).pixels;
    assert.ok(light.every((hash, i) => hash !== wanted[i]));
    await page.emulateMedia({ colorScheme: 'dark' });
    await frames(page);
    assert.deepEqual((await shown(page)).pixels, wanted, 'the system’s wish');
    await page.click('[data-do=theme]');
    await frames(page);
    assert.deepEqual((await shown(page)).pixels, light, 'the page’s own switch');
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
    await frames(page);
    assert.ok((await shown(page)).pixels.every((hash, i) => hash !== light[i] && hash !== wanted[i]), 'forced colours');
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'none' });
    await page.reload({ waitUntil: 'commit' });
    await page.waitForSelector('html[data-live][data-theme=light]', { state: 'attached' });
  });

  if (varied.includes(card)) test(`${card}: FAILURES 20: after the memory has grown a redraw gives the same pixels`, async (t) => {
    const page = await open(t, `${card}/`, {
      init: () => {
        for (const name of ['instantiate', 'instantiateStreaming']) {
          const made = WebAssembly[name];
          WebAssembly[name] = async (...args) => {
            const result = await made.apply(WebAssembly, args);
            window.memory = (result.instance ?? result).exports.memory;
            return result;
          };
        }
      },
    });
    await oneSeed(page);
    const [first, second] = catalogue[card].setups;
    await page.click(`[data-setup="${second.name}"]`);
    await settled(page);
    await painted(page);
    const before = await shown(page);
    // The biggest setup, then growth that is certain: each detaches every view of the memory.
    const biggest = catalogue[card].setups.at(-1).name; // or at least the most extreme
    await page.click(`[data-setup="${biggest}"]`);
    await shows(page, card, `setup=${biggest}`, 30_000);
    await page.evaluate(() => window.memory.grow(64));
    await page.click(`[data-setup="${first.name}"]`);
    await shows(page, card, `setup=${first.name}`);
    await page.click(`[data-setup="${second.name}"]`);
    await shows(page, card, `setup=${second.name}`);
    await painted(page);
    const after = await shown(page);
    for (const what of ['outcome', 'charts', 'pixels', 'yours']) assert.deepEqual(after[what], before[what], what);
  });

  if (varied.includes(card)) test(`${card}: reduced motion and an idle page: not one animation frame is asked for`, async (t) => {
    const page = await open(t, `${card}/`, {
      reducedMotion: 'reduce',
      init: () => {
        const request = window.requestAnimationFrame;
        window.asked = 0;
        window.requestAnimationFrame = (callback) => { window.asked += 1; return request.call(window, callback); };
      },
    });
    await seedsDone(page);
    // waitForFunction itself asks for frames; a plain wait does not.
    const asked = await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      window.asked = 0;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return window.asked;
    });
    assert.equal(asked, 0);
    assert.deepEqual(await page.evaluate(() => document.getAnimations().length), 0);
  });

  if (varied.includes(card)) test(`${card}: a paper copy shows the run on the screen, drawn as SVG`, async (t) => {
    const page = await open(t, `${card}/`);
    const stills = () => page.$$eval('.stills', (all) => all.map((e) => e.innerHTML.length && e.textContent));
    const before = await stills();
    const { key, default: start, step, max } = catalogue[card].knobs.find((k) => k.shown && k.min !== undefined);
    await follow(page, `${key}=${Math.min(max, start + step * 5)}`);
    await settled(page);
    assert.ok((await page.pdf()).length > 10_000);
    assert.notDeepEqual(await stills(), before, 'the stills are those of this run');
    await page.emulateMedia({ media: 'print' });
    const sight = await page.$$eval('figure[data-chart]', (all) => all.map((f) => ({
      canvas: f.querySelector('canvas').checkVisibility({ visibilityProperty: true }),
      stills: [...f.querySelectorAll('svg.v')].filter((s) => s.checkVisibility({ visibilityProperty: true })).length,
    })));
    for (const one of sight) assert.deepEqual(one, { canvas: false, stills: 1 });
  });
}

test('390 to 2560 px, ratio 1 to 3: bitmaps fit, and no page scrolls sideways', async (t) => {
  for (const path of pages.filter((path) => fewPages.includes(path) || !/^vi|embed/.test(path))) {
    const page = await open(t, path, { live: lively(path) });
    const session = await cdp(page);
    const all = [[390, 3], [412, 1], [768, 2], [1024, 1], [1440, 2], [1920, 1], [2559, 1], [2560, 2]];
    // The frame of a page is the same for all; what a card puts into it is widest and narrowest at the ends.
    const inside = lively(path) && !few.some((card) => path.includes(card));
    for (const [width, ratio] of inside ? [all[0], all[3], all[7]] : all) {
      await screen(session, width, 1000, ratio);
      await until(page, `${path} at ${width}`, ([width, ratio]) => innerWidth === width && devicePixelRatio === ratio, [width, ratio]);
      await fits(page, `${path} at ${width} × ${ratio}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${path} at ${width}: ${wide} px too wide`);
    }
    await leave(page);
  }
});
