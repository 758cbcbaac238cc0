// The hand on a slider: everything follows within two frames, or where a run takes longer as soon as it is done; and nothing else happens.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cards, changedFrom, few, frames, grab, knob, native, oneSeed, open, outcome, painted, prints, reset, seedsDone, settled, shown, shows, site, slide, sliders,
  tasks, telling, until, varied,
} from './support.mjs';

for (const card of cards) {
  test(`${card}: dragging redraws chart, figures, sentence and pixels at each move, before the hand lets go`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page); // they change the charts too
    const key = await telling(page, 5, (start, move, last) => start + move * (start > last / 2 ? -1 : 1));
    const hand = await grab(page, key);
    const before = await shown(page);
    let last = before;
    const changes = { charts: 0, pixels: 0, yours: 0, insight: 0 };
    // Towards the middle of the range, at least a stop and two pixels a move.
    const step = Math.max(1, Math.ceil(2 / hand.perStop)) * (hand.at > hand.last / 2 ? -1 : 1);
    for (let move = 1; move <= 5; move += 1) {
      await hand.to(Math.min(hand.last, hand.at + move * step));
      await settled(page);
      // A slider far below the charts: those off the screen follow once the hand rests.
      const [off, leads] = await page.$eval('figure[data-chart]', (f) =>
        [f.getBoundingClientRect().bottom <= 0, f.querySelector('canvas').classList.contains('opens')]);
      if (off || leads) await painted(page);
      const now = await shown(page);
      assert.equal(now.outcome, native(card, `${key}=${(await knob(page, key)).number}`).hash, `move ${move}: the run of the knob as it is`);
      // Where its cells lead belongs to a chart, and is not seen.
      const [chart, pixels] = [now.charts[0] !== last.charts[0], now.pixels[0] !== last.pixels[0]];
      assert.ok(chart === pixels || (leads && chart), `move ${move}: pixels follow the chart`);
      for (const what of Object.keys(changes)) if (JSON.stringify(now[what]) !== JSON.stringify(last[what])) changes[what] += 1;
      last = now;
    }
    // What rounded numbers say may stay for some moves; the article's figures may be of another knob.
    if (!few.includes(card)) delete changes.yours;
    for (const [what, count] of Object.entries(changes)) {
      assert.ok(count >= (what === 'charts' || what === 'pixels' ? 3 : 1), `${what}: changed at ${count} of 5 moves of ${key}`);
    }
    await page.mouse.up();
  });

  if (prints(card)) test(`${card}: no knob changes the middle column of "the article against this run"`, async (t) => {
    const page = await open(t, `${card}/`);
    // What does not fit into the start comes from the worker; from then on nothing may change.
    await seedsDone(page);
    const { setup } = await shown(page);
    const bare = (text) => text.replace(/[^|\d.,]|the same.*?(?=\||$)/g, '');
    const numbers = () => page.$$eval('#article td[data-col=setup]', (all) => all.map((e) => e.firstChild.textContent));
    assert.ok(setup.length > 0 && bare(setup).length > 0);
    const before = await numbers();
    for (const key of await sliders(page)) {
      const last = (await knob(page, key)).last;
      await slide(page, key, Math.round(last / 3));
      await frames(page);
      assert.deepEqual(await numbers(), before, `after ${key}`);
    }
    const seed = page.locator('#seed');
    await seed.fill('99');
    await frames(page);
    assert.deepEqual(await numbers(), before, 'after the seed');
  });

  if (few.includes(card)) test(`${card}: FAILURES 4, 8: 300 steps of a drag write the address seldom, and a browser that refuses stops nothing`, async (t) => {
    const page = await open(t, `${card}/`, {
      init: () => {
        window.writes = [];
        history.replaceState = () => {
          window.writes.push(performance.now());
          throw new DOMException('Attempt to use history.replaceState() more than 100 times per 30 seconds', 'SecurityError');
        };
      },
    });
    await seedsDone(page);
    const key = await telling(page, 2);
    await page.evaluate(() => { window.writes = []; });
    const result = await page.evaluate(async (key) => {
      const input = document.querySelector(`[data-knob="${key}"] input[type=range]`);
      const frame = () => new Promise(requestAnimationFrame);
      const hash = () => document.querySelector('figure[data-chart]').dataset.hash;
      const start = performance.now();
      let redrawn = 0;
      const middle = Number(input.value);
      for (let i = 0; i < 300; i += 1) {
        const before = hash();
        input.value = middle + 1 + (i % 2); // small runs, done within the frame, each another
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await frame();
        await new Promise((resolve) => { setTimeout(resolve); }); // what follows from the frame's run
        if (hash() !== before) redrawn += 1;
      }
      return { took: performance.now() - start, writes: window.writes.length, redrawn };
    }, key);
    assert.ok(result.writes > 0, 'the address is written at all');
    assert.ok(result.writes <= (result.took / 30_000) * 100 + 1, `${result.writes} writes in ${Math.round(result.took)} ms`);
    assert.ok(result.redrawn >= 290, `${result.redrawn} of 300 steps redrawn`);
  });

  if (few.includes(card)) test(`${card}: FAILURES 5, 6: 50 changes leave history and scroll alone, and Back leaves the page`, async (t) => {
    const page = await open(t, '', { live: false });
    await page.click(`.map a[href="${card}/"]`);
    await page.waitForSelector('html[data-live]', { state: 'attached' });
    const [key] = await sliders(page);
    await page.evaluate(() => scrollTo(0, 400));
    const before = await page.evaluate(() => ({ length: history.length, y: scrollY }));
    const { stop, last } = await knob(page, key);
    // Away from where it was, at the end too.
    for (let i = 0; i < 50; i += 1) {
      await slide(page, key, (stop + 1 + (i % 2)) % (last + 1));
      await frames(page, 1);
    }
    await until(page, 'the state in the address', () => location.hash.includes('='));
    assert.deepEqual(await page.evaluate(() => ({ length: history.length, y: scrollY })), before);
    await page.goBack({ waitUntil: 'commit' });
    assert.equal(page.url(), site.url);
  });

  if (few.includes(card)) test(`${card}: ACCESSIBILITY 4.1.3: 50 steps of a drag are announced at most twice`, async (t) => {
    const page = await open(t, `${card}/`);
    const [key] = await sliders(page);
    await page.evaluate(() => {
      const status = document.querySelectorAll('[role=status]');
      if (status.length !== 1) throw new Error(`${status.length} status regions`);
      window.said = [];
      new MutationObserver(() => window.said.push(status[0].textContent))
        .observe(status[0], { childList: true, characterData: true, subtree: true });
    });
    const { stop } = await knob(page, key);
    for (let i = 1; i <= 50; i += 1) {
      await slide(page, key, stop - (i % 2 ? i : i / 2));
      await frames(page, 1);
    }
    await until(page, 'an announcement', () => window.said.length > 0);
    // A second one may come with what settles later; a third must not.
    await page.waitForFunction(() => window.said.length > 2, null, { timeout: 1500 }).catch(() => {});
    const said = await page.evaluate(() => window.said);
    assert.ok(said.length <= 2, said.join('\n'));
    assert.ok(said.at(-1).length > 0);
  });

  test(`${card}: ACCESSIBILITY 4.5 gate 2: no task over 50 ms while dragging any slider; the last value wins`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page); // the drag is measured, not they
    const drag = async (key, moves) => {
      const hand = await grab(page, key);
      const step = Math.max(1, Math.ceil(2 / hand.perStop)) * (hand.at > hand.last / 2 ? -1 : 1);
      for (let move = 1; move <= moves; move += 1) {
        await hand.to(hand.at + (move % 2 ? move : move / 2) * step);
        await frames(page, 1);
      }
      await page.mouse.up();
    };
    const [key, ...others] = await sliders(page);
    const times = await tasks(page, async () => {
      for (const other of others) {
        await drag(other, 4);
        await reset(page, other);
      }
      await drag(key, 16);
    });
    await frames(page);
    const { number } = await knob(page, key);
    await shows(page, card, `${key}=${number}`);
    assert.deepEqual(times.filter((ms) => ms > 50).map(Math.round), [], 'long tasks in ms');
  });

  if (varied.includes(card) || few.includes(card)) test(`${card}: FAILURES 24: one state, another, and the first again gives the first, to the byte`, async (t) => {
    const page = await open(t, `${card}/`, { init: () => { window.Worker = undefined; } });
    await oneSeed(page);
    const key = await telling(page, 3, (start, move) => start + [1, -2, 2][move - 1]);
    const { stop } = await knob(page, key);
    await slide(page, key, stop + 1);
    await settled(page);
    await painted(page);
    const first = await shown(page);
    await slide(page, key, stop - 2);
    await changedFrom(page, first.outcome);
    await slide(page, key, stop + 1);
    await settled(page);
    await painted(page);
    const third = await shown(page);
    for (const what of ['outcome', 'charts', 'pixels', 'yours', 'insight']) assert.deepEqual(third[what], first[what], what);
    assert.equal(await outcome(page), native(card, `${key}=${(await knob(page, key)).number}`).hash);
  });
}
