// Big runs, many seeds, many restarts: the page answers at once, and what is shown belongs to the last question.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  alive, bigSetups, catalogue, cdp, few, frames, heaviest, knob, oneSeed, open, outcome, seedsDone, shown, shows, slide, sliders, until,
} from './support.mjs';

const idle = () => document.querySelector('.seeds').classList.contains('idle');
const running = () => document.querySelector('.plot.computing') !== null;

/** Presses a setup's button without waiting for what follows. */
const press = (page, setup) => page.evaluate((name) => document.querySelector(`[data-setup="${name}"]`).click(), setup);

/** In the page: a frame that forbids workers. */
const noWorkers = () => { window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } }; };

// How big runs are handled is the same everywhere: the card with the longest of them shows it.
{
  const { card, setups } = await heaviest();
  const biggest = setups[0].name;
  // Big enough for its seeds to be seen at work, small enough to wait for them.
  const big = `setup=${setups.at(-1).name}`;

  test(`${card}: FAILURES 21: while the biggest setup runs, the page answers within 100 ms; needs no isolation`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page);
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    const [, key] = await sliders(page);
    await page.locator(`[data-knob="${key}"] input[type=range]`).focus();
    await page.evaluate(() => {
      window.latency = [];
      new PerformanceObserver((list) => list.getEntries().filter((e) => e.name === 'keydown').forEach((e) =>
        window.latency.push(e.processingEnd - e.startTime))).observe({ type: 'event', durationThreshold: 16 });
      window.presses = [];
      addEventListener('keydown', (e) => {
        const busy = document.querySelector('.plot.computing') !== null;
        requestAnimationFrame(() => window.presses.push({ busy, ms: performance.now() - e.timeStamp }));
      });
    });
    await press(page, biggest);
    await until(page, 'a run under way', running);
    for (let i = 0; i < 8; i += 1) {
      await page.keyboard.press(i % 2 ? 'ArrowLeft' : 'ArrowRight');
      await frames(page, 1);
    }
    const { presses, latency } = await page.evaluate(() => ({ presses: window.presses, latency: window.latency }));
    assert.ok(presses.filter((p) => p.busy).length >= 4, 'keys were pressed while it ran');
    const slow = [...presses.map((p) => p.ms), ...latency].filter((ms) => ms >= 100);
    assert.deepEqual(slow, [], 'answers of 100 ms and more');
    await press(page, biggest);
    await shows(page, card, `setup=${biggest}`, 30_000);
    assert.equal(await page.evaluate(running), false);
  });

  test(`${card}: a newer question wins over a big run under way, and stops it`, async (t) => {
    const page = await open(t, `${card}/`);
    const before = await outcome(page);
    await press(page, biggest);
    await until(page, 'a run under way', running);
    const [, second] = catalogue[card].setups;
    await press(page, second.name);
    await frames(page, 2);
    await shows(page, card, `setup=${second.name}`, 1000);
    assert.equal(await page.evaluate(running), false);
    assert.notEqual(await outcome(page), before);
    await seedsDone(page);
    await shows(page, card, `setup=${second.name}`, 1000);
  });

  test(`${card}: FAILURES 22: 50 restarts in a second: one run lives, and it is the last one's`, async (t) => {
    const page = await open(t, `${card}/#${big}`);
    const [key] = await sliders(page);
    const { stop } = await knob(page, key);
    await page.evaluate(async ([key, stop]) => {
      const input = document.querySelector(`[data-knob="${key}"] input[type=range]`);
      window.shown = [];
      new MutationObserver(() => window.shown.push(document.querySelector('[data-outcome]').dataset.outcome))
        .observe(document.querySelector('[data-outcome]'), { attributeFilter: ['data-outcome'] });
      for (let i = 0; i < 50; i += 1) {
        input.value = stop + 1 + (i % 10);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      input.value = stop + 11;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }, [key, stop]);
    const { number } = await knob(page, key);
    await shows(page, card, `${big}&${key}=${number}`, 10_000);
    assert.ok(page.workers().length <= 1, `${page.workers().length} workers`);
    await page.click('[data-seeds="20"]');
    await seedsDone(page);
    await shows(page, card, `${big}&${key}=${number}`, 100);
  });

  // The worker has a clock of its own, so there it is two seconds that pass; how many makes no difference to it.
  for (const [how, options] of [['in the worker, for two seconds', {}], ['on the page’s own thread, for a minute by its clock', {
    init: () => {
      window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } };
      window.slept = 0;
      for (const clock of [Date, performance]) {
        const now = clock.now.bind(clock);
        clock.now = () => now() + window.slept;
      }
    },
  }]]) {
    test(`${card}: FAILURES 11: a page frozen in the middle of a run ${how} goes on where it was, to the same end`, async (t) => {
      const page = await open(t, `${card}/`, options);
      const session = await cdp(page);
      await press(page, biggest);
      await until(page, 'a run under way', running);
      if (options.init) await page.evaluate(() => { window.slept = 60_000; });
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await new Promise((resolve) => setTimeout(resolve, options.init ? 200 : 2000)); // the freeze itself
      await session.send('Page.setWebLifecycleState', { state: 'active' });
      await shows(page, card, `setup=${biggest}`, 30_000);
      assert.equal((await shown(page)).yours.includes('NaN'), false);
    });
  }

  test(`${card}: 200 seeds: progress goes up to the end; cancel keeps what is there; a new state starts anew`, async (t) => {
    const page = await open(t, `${card}/#${big}`);
    await shows(page, card, big);
    const bare = (await shown(page)).charts;
    await until(page, 'seeds under way', () => !document.querySelector('.seeds').classList.contains('idle'));
    const progress = await page.evaluate(async () => {
      const bar = document.querySelector('progress');
      const seen = [];
      while (bar.value < 0.2) { // about 40 of 200: not the 20 that are run below
        await new Promise(requestAnimationFrame);
        if (bar.value !== seen.at(-1)) seen.push(bar.value);
      }
      return seen;
    });
    assert.ok(progress.length >= 3 && progress.every((p, i) => i === 0 || p >= progress[i - 1]), `progress: ${progress}`);
    await page.click('[data-do=cancel]');
    await until(page, 'rest', idle, null, 1000);
    await frames(page);
    const partial = (await shown(page)).charts;
    assert.notDeepEqual(partial, bare, 'the seeds that ran are shown');
    await frames(page, 30);
    assert.deepEqual((await shown(page)).charts, partial, 'nothing comes after cancel');
    await shows(page, card, big, 100);
    // 20 seeds to the end; then a newer state in the middle of many.
    await page.click('[data-seeds="20"]');
    await until(page, 'seeds under way', () => !document.querySelector('.seeds').classList.contains('idle'));
    await until(page, '20 seeds', idle, null, 30_000);
    assert.notDeepEqual((await shown(page)).charts, partial);
    await page.click('[data-seeds="200"]');
    await until(page, 'seeds under way', () => document.querySelector('progress').value > 0.02);
    await page.evaluate(() => {
      // Small runs' seeds may come and go between two looks.
      const seeds = document.querySelector('.seeds');
      window.began = 0;
      new MutationObserver(() => { if (!seeds.classList.contains('idle')) window.began += 1; }).observe(seeds, { attributeFilter: ['class'] });
    });
    await press(page, catalogue[card].setups[1].name);
    await shows(page, card, `setup=${catalogue[card].setups[1].name}`);
    await until(page, 'the new state’s seeds under way', () => window.began > 0, null, 30_000);
    // To wait for all of them shows nothing more.
    await page.locator('[data-do=cancel]').evaluate((button) => button.click());
    await until(page, 'rest', idle);
    assert.equal(await page.locator('[data-do=cancel]').isDisabled(), true);
  });

  test(`${card}: without workers everything still runs, in slices`, async (t) => {
    const page = await open(t, `${card}/`, { init: noWorkers });
    await page.evaluate(() => {
      window.gap = 0;
      let last = performance.now();
      const tick = () => { const now = performance.now(); window.gap = Math.max(window.gap, now - last); last = now; requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    });
    await press(page, biggest);
    await shows(page, card, `setup=${biggest}`, 30_000);
    assert.equal(page.workers().length, 0);
    assert.ok(await page.evaluate(() => window.gap) < 500, `the page stood still for ${await page.evaluate(() => window.gap)} ms`);
  });
}

for (const card of few) {
  test(`${card}: FAILURES 7: 100 setups one after the other while runs and seeds are under way; the page still answers`, async (t) => {
    const page = await open(t, `${card}/`);
    const names = catalogue[card].setups.map((s) => s.name);
    for (let i = 0; i < 100; i += 1) {
      await press(page, names[i % names.length]);
      if (i % 3 === 0) await frames(page, 1);
      if (i % 25 === 24) {
        await page.reload({ waitUntil: 'commit' }); // another page while a run is under way
        await alive(page);
      }
    }
    await press(page, names[1]);
    await shows(page, card, `setup=${names[1]}`);
  });

  test(`${card}: FAILURES 15, gates 3, 4: many changes leave heap, WASM memory, listeners and nodes as they were`, async (t) => {
    const page = await open(t, `${card}/`, {
      init: () => {
        const made = WebAssembly.instantiateStreaming;
        WebAssembly.instantiateStreaming = async (...args) => {
          const result = await made.apply(WebAssembly, args);
          window.memory = result.instance.exports.memory;
          return result;
        };
      },
    });
    const session = await cdp(page);
    await session.send('Performance.enable');
    await oneSeed(page);
    const big = (await bigSetups(card)).map(({ name }) => name);
    const names = catalogue[card].setups.map((s) => s.name).filter((name) => !big.includes(name));
    const change = (times) => page.evaluate(async ([names, times]) => {
      for (let i = 0; i < times; i += 1) {
        document.querySelector(`[data-setup="${names[i % names.length]}"]`).click();
        await new Promise(requestAnimationFrame);
      }
    }, [names, times]);
    const weigh = async () => {
      await press(page, names[0]);
      await frames(page, 3);
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const metric = (name) => metrics.find((m) => m.name === name).value;
      return {
        heap: metric('JSHeapUsedSize'), listeners: metric('JSEventListeners'), nodes: metric('Nodes'),
        wasm: await page.evaluate(() => window.memory.buffer.byteLength),
      };
    };
    await change(60);
    const before = await weigh();
    await change(500);
    const after = await weigh();
    for (const what of Object.keys(before)) {
      assert.ok(after[what] <= before[what] * 1.1, `${what}: ${before[what]} before, ${after[what]} after`);
    }
  });
}
