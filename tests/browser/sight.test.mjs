// What eyes get: contrast and differences in the pixels of the screen, not in the tokens they come from; and no flashes.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  bigSetups, cards, catalogue, cdp, few, frames, grab, open, painted, reset, seedsDone, shared, sliders, themes, unfold, until,
} from './support.mjs';
import { colours, contrast, decode, difference, luminance } from './pixels.mjs';

const picture = async (what, options) => decode(await what.screenshot(options));

// ---------- WCAG 1.4.11 ----------

/** The pixels on a line from outside of a box to its inside, over the middle of one of its sides or a share of it. */
function across(image, { x, y, width, height }, side, share = 0.5, [from, to] = [4, 6]) {
  const line = [];
  for (let i = -from; i < to; i += 1) {
    const [px, py] = {
      left: [x + i, y + height * share], right: [x + width - 1 - i, y + height * share],
      top: [x + width * share, y + i], bottom: [x + width * share, y + height - 1 - i],
    }[side].map(Math.floor);
    if (px >= 0 && py >= 0 && px < image.width && py < image.height) line.push(image.at(px, py));
  }
  return line;
}

/** The greatest contrast of anything on a line against where it starts. */
const stands = ([ground, ...line]) => Math.max(...line.map((pixel) => contrast(pixel, ground)));

test('WCAG 1.4.11: controls stand out 3 to 1 on the screen: edges, tracks, thumbs, rings', async (t) => {
  const kinds = new Set();
  for (const card of few) {
    const page = await open(t, `${card}/`, { viewport: { width: 1440, height: 1200 } });
    await seedsDone(page);
    await unfold(page);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await page.mouse.move(1, 1);
      await frames(page);
      const controls = await page.evaluate(() => [...document.querySelectorAll('#app :is(button, input, select)')]
        // A quiet button is its words or its sign, which are text; what is disabled is free.
        .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && !e.matches('.quiet, .legend .btn'))
        .map((e) => {
          const { x, y, width, height } = e.getBoundingClientRect();
          const kind = e.type === 'range' ? 'range' : e.matches('.num') ? 'number' : e.tagName === 'INPUT' ? e.type : e.tagName.toLowerCase();
          const thumb = e.type === 'range' ? (7 + ((e.value - e.min) / (e.max - e.min)) * (width - 14)) / width : 0;
          const name = e.id || e.ariaLabel || e.textContent || e.closest('[data-knob]')?.dataset.knob;
          return { kind, thumb, name, x: x + scrollX, y: y + scrollY, width, height };
        }));
      const image = await picture(page, { fullPage: true });
      const weak = [];
      for (const control of controls) {
        const { kind, name, thumb, height } = control;
        kinds.add(kind);
        const through = (share) => stands(across(image, control, 'top', share, [0, Math.floor(height)]));
        const sides = (...names) => names.map((side) => stands(across(image, control, side)));
        let parts = { edges: () => Math.min(...sides('left', 'right', 'top', 'bottom')) };
        if (kind === 'number') parts = { line: () => sides('bottom')[0] }; // a number lies on its line
        if (kind === 'range') {
          parts = { thumb: () => through(thumb) };
          if (thumb > 0.1) parts['filled track'] = () => through(thumb / 3);
          if (thumb < 0.9) parts.track = () => through(thumb + (1 - thumb) * 0.7);
        }
        for (const [part, ratio] of Object.entries(parts).map(([part, ratio]) => [part, ratio()])) {
          if (ratio < 3) weak.push(`${kind} ${name}: ${part} ${ratio.toFixed(2)}`);
        }
      }
      assert.deepEqual(weak, [], `${card}, ${theme}`);
      // The ring of what has the focus, by keyboard.
      await page.keyboard.press('Tab');
      for (const selector of ['[data-setup]', '[data-do=more]', 'input.num', 'input[type=range]', '#seed', 'summary', 'figure canvas']) {
        const element = page.locator(`#app ${selector} >> visible=true`).first();
        await element.scrollIntoViewIfNeeded();
        await element.focus();
        await frames(page);
        const { x, y, width, height } = await element.boundingBox();
        const clip = { x: Math.floor(x) - 12, y: Math.floor(y) - 12, width: width + 24, height: height + 24 };
        const seen = await picture(page, { clip });
        const box = { x: x - clip.x, y: y - clip.y, width, height };
        const ring = Math.max(...['top', 'bottom', 'left', 'right'].map((side) => stands(across(seen, box, side, 0.5, [10, 0]))));
        assert.ok(ring >= 3, `${theme}: the ring of ${selector}: ${ring.toFixed(2)}`);
      }
    }
  }
  assert.deepEqual([...kinds].sort(), ['button', 'checkbox', 'number', 'radio', 'range', 'select', 'text'], 'kinds of controls looked at');
});

for (const card of cards) {
  test(`${card}: WCAG 1.4.11: what the charts draw stands out 3 to 1 on the screen`, async (t) => {
    const page = await shared(t, `${card}/`, { deviceScaleFactor: 2 });
    await seedsDone(page);
    const weak = [];
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const figure of await page.$$('figure[data-chart]')) {
        const canvas = await figure.$('canvas');
        await canvas.scrollIntoViewIfNeeded();
        await painted(page);
        // Which colours to look for, by the still of the same run: those of series, solid; their tints; the time of a fault.
        const { id, solid, pale, grounds } = await figure.evaluate((f) => {
          const series = ['offered', 'attempts', 'retries', 'goodput', 'late', 'timeout', 'shed', 'breaker', 'zombie', 'baseline'];
          const rgb = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).match(/\d+/g).slice(0, 3).map(Number);
          const drawn = [...f.querySelectorAll('svg.v-l :is([fill^="var(--"], [stroke^="var(--"])')]
            .filter((e) => !e.hasAttribute('opacity') && !e.hasAttribute('fill-opacity'))
            .flatMap((e) => ['fill', 'stroke'].map((a) => /^var\(--(.*)\)$/.exec(e.getAttribute(a) ?? '')?.[1])).filter(Boolean);
          const names = [...new Set(drawn)];
          const of = (some) => some.map((name) => [name, rgb(name)]);
          const hatches = [...new Set([...f.querySelectorAll('svg.v-l [fill^="url(#"]')].map((e) => e.getAttribute('fill').slice(4, -1)))];
          const grounds = hatches.map((id) => rgb(/--([\w-]+)/.exec(document.querySelector(`${id} rect`).getAttribute('fill'))[1]));
          return { grounds, id: f.dataset.chart, solid: of(names.filter((n) => series.includes(n))), pale: of(names.filter((n) => n === 'fault' || n.endsWith('-t'))) };
        });
        const image = await picture(canvas);
        const counts = colours(image);
        const [[paper]] = counts;
        const find = (rgb) => counts.find(([c]) => c.join() === rgb.join())?.[1] ?? 0;
        for (const [name, rgb] of solid) {
          if (find(rgb) < 8) weak.push(`${theme} ${id}: no ${name} on the screen`);
          else if (contrast(rgb, paper) < 3) weak.push(`${theme} ${id}: ${name} ${contrast(rgb, paper).toFixed(2)}`);
        }
        for (const [name, rgb] of pale) {
          // The time of a fault has the ground of a hatch: where that is drawn too, its pixels are not to be told from it.
          if (name === 'fault' && grounds.some((c) => c.join() === rgb.join())) continue;
          const bare = bareEdges(image, rgb, paper, name === 'fault');
          // A dashed line leaves gaps; the plates of labels lie in a span without an edge of their own.
          if (bare > (name === 'fault' ? 0.9 : 0.7)) weak.push(`${theme} ${id}: ${name}: ${Math.round(bare * 100)} % of its edge lies bare on the paper, ${contrast(rgb, paper).toFixed(2)} to 1`);
        }
      }
    }
    assert.deepEqual(weak, []);
  });

  test(`${card}: WCAG 1.4.1: in grey, and for each colour blindness, all series of a chart are told apart by pattern or plainly by colour`, async (t) => {
    const alike = [];
    const page = await shared(t, `${card}/`, { deviceScaleFactor: 2 });
    const session = await cdp(page);
    // The samples of all legends on one sheet, a row each: one look at the screen shows them all.
    const rows = await page.evaluate(() => {
      const sheet = document.body.appendChild(document.createElement('div'));
      sheet.id = 'samples';
      Object.assign(sheet.style, { position: 'fixed', inset: '0 auto auto 0', width: '300px', height: '200px', zIndex: 9, background: 'var(--paper)' });
      return [...document.querySelectorAll('figure[data-chart] .legend')].map((legend, row) => ({
        id: legend.closest('figure').dataset.chart,
        names: [...legend.querySelectorAll('svg')].map((svg, i) => {
          const copy = sheet.appendChild(svg.cloneNode(true));
          Object.assign(copy.style, { position: 'absolute', left: `${30 * i}px`, top: `${20 * row}px` });
          return svg.parentElement.textContent.trim();
        }),
      }));
    });
    t.after(() => page.evaluate(() => document.querySelector('#samples').remove()));
    assert.ok(rows.length > 0, 'no legend');
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const type of ['achromatopsia', 'deuteranopia', 'protanopia', 'tritanopia']) {
        await session.send('Emulation.setEmulatedVisionDeficiency', { type });
        await frames(page);
        const image = await picture(page, { clip: { x: 0, y: 0, width: 300, height: 200 } });
        const paper = image.at(599, 399);
        rows.forEach(({ id, names }, row) => {
          const samples = names.map((name, i) => {
            const sample = cut(image, 60 * i, 40 * row, 40, 20);
            return { name, marks: pattern(sample, paper), colour: colours(sample).find(([c]) => contrast(c, paper) > 1.5)?.[0] ?? paper };
          });
          samples.forEach((one, i) => samples.slice(0, i).forEach((other) => {
            const share = one.marks.filter((mark, at) => mark !== other.marks[at]).length / one.marks.length;
            const apart = difference(one.colour, other.colour);
            if (share < 0.05 && apart < 20) alike.push(`${id}, ${theme}, ${type}: ${other.name} / ${one.name}: ΔE ${apart.toFixed(0)}`);
          }));
        });
      }
    }
    assert.deepEqual(alike, []);
  });
}

/** Which share of the places where a pale area meets the paper has nothing between them that stands out. `sides`: left and right only. */
function bareEdges(image, pale, paper, sides) {
  const is = (pixel, colour) => pixel.every((v, i) => v === colour[i]);
  let [bare, edges] = [0, 0];
  const scan = (lines, length, at) => {
    for (let line = 0; line < lines; line += 1) {
      // The last of the two that was seen, and the best contrast since.
      let [last, best] = [null, 1];
      for (let i = 0; i < length; i += 1) {
        const pixel = at(line, i);
        const now = is(pixel, pale) ? 'pale' : is(pixel, paper) ? 'paper' : null;
        if (now === null) {
          best = Math.max(best, contrast(pixel, paper));
          continue;
        }
        if (last !== null && last !== now) {
          edges += 1;
          if (best < 3) bare += 1;
        }
        [last, best] = [now, 1];
      }
    }
  };
  scan(image.height, image.width, (line, i) => image.at(i, line));
  if (!sides) scan(image.width, image.height, (line, i) => image.at(line, i));
  return edges > 0 ? bare / edges : 0;
}

// ---------- colour vision ----------

/** Which pixels of a sample are mark and which are ground, so that dash, hatch and shape show and colour does not. */
function pattern(image, paper) {
  const all = [];
  for (let y = 0; y < image.height; y += 1) for (let x = 0; x < image.width; x += 1) all.push(Math.log(contrast(image.at(x, y), paper)));
  const most = Math.max(...all);
  return all.map((c) => c > most / 2);
}

/** A part of an image. */
const cut = (image, x0, y0, width, height) => ({ width, height, at: (x, y) => image.at(x0 + x, y0 + y) });

// ---------- WCAG 2.3.1 ----------

/** Films the page while `what` runs: every frame that the browser shows, at a quarter of its size. */
async function film(page, what) {
  const session = await cdp(page);
  const shots = [];
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    shots.push({ time: metadata.timestamp, data });
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  });
  const { width, height } = page.viewportSize();
  await session.send('Page.startScreencast', { format: 'png', maxWidth: width / SHRINK, maxHeight: height / SHRINK, everyNthFrame: 1 });
  await what();
  await session.send('Page.stopScreencast');
  await session.detach();
  return shots.map(({ time, data }) => ({ time, image: decode(Buffer.from(data, 'base64')) }));
}

const SHRINK = 4;
/** Ten degrees of the eye's field at the usual distance, in pixels of the film; a quarter of it may flash. */
const FIELD = [341 / SHRINK, 256 / SHRINK].map(Math.round);
const MOST = (FIELD[0] * FIELD[1]) / 4;

/**
 * The greatest area, in parts of what may flash, that flashed more than three times within a second: a flash is a pair of
 * opposing changes of luminance by a tenth or more, the darker side below 0.80.
 */
function flashing(shots) {
  const { width, height } = shots[0].image;
  // Of each pixel: the last turning point, the way it goes, and when it turned.
  const last = new Float64Array(width * height);
  const way = new Int8Array(width * height);
  const turns = Array.from({ length: width * height }, () => []);
  const over = new Uint8Array(width * height);
  shots.forEach(({ time, image }, shot) => {
    for (let i = 0; i < last.length; i += 1) {
      const now = luminance(image.at(i % width, Math.floor(i / width)));
      if (shot === 0) { last[i] = now; continue; }
      const change = now - last[i];
      if (way[i] !== 0 && Math.sign(change) === way[i]) { last[i] = now; continue; }
      if (Math.abs(change) < 0.1 || Math.min(now, last[i]) >= 0.8) continue;
      [way[i], last[i]] = [Math.sign(change), now];
      turns[i].push(time);
      // More than three pairs: seven changes and more.
      if (turns[i].length >= 7 && time - turns[i].at(-7) <= 1) over[i] = 1;
    }
  });
  let worst = 0;
  for (let y = 0; y + FIELD[1] <= height; y += 8) {
    for (let x = 0; x + FIELD[0] <= width; x += 8) {
      let sum = 0;
      for (let dy = 0; dy < FIELD[1]; dy += 1) for (let dx = 0; dx < FIELD[0]; dx += 1) sum += over[(y + dy) * width + x + dx];
      worst = Math.max(worst, sum / MOST);
    }
  }
  return worst;
}

/** Drags a slider over a quarter of its range and back in about two seconds: a hand that looks for the edge. */
async function sweep(page, key) {
  const hand = await grab(page, key);
  const stops = 36;
  for (let i = 0; i <= 2 * stops; i += 1) {
    const share = 0.25 + 0.25 * (i <= stops ? i / stops : 2 - i / stops);
    await hand.to(share * hand.last);
    await frames(page, 1);
  }
  await page.mouse.up();
}

test('WCAG 2.3.1: the meter sees what flashes, and a calm page as calm', async (t) => {
  const page = await open(t, `${few[0]}/`);
  await seedsDone(page);
  const blink = async (size) => {
    const shots = await film(page, () => page.evaluate(async (size) => {
      const box = document.body.appendChild(document.createElement('div'));
      Object.assign(box.style, { position: 'fixed', inset: '200px auto auto 200px', width: `${size}px`, height: `${size}px`, zIndex: 9 });
      for (let i = 0; i < 16; i += 1) {
        box.style.background = i % 2 ? '#fff' : '#333';
        const until = performance.now() + 60;
        while (performance.now() < until) await new Promise(requestAnimationFrame);
      }
      box.remove();
    }, size));
    return flashing(shots);
  };
  assert.ok(await blink(240) > 1, 'a large box');
  assert.ok(await blink(80) < 1, 'a small one may');
});

for (const card of cards) {
  test(`${card}: WCAG 2.3.1: nothing large flashes while a hand drags, and while seeds come in`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page);
    const [key] = await sliders(page);
    const dragged = await film(page, () => sweep(page, key));
    assert.ok(dragged.length >= 5, `${dragged.length} frames filmed`);
    // How seeds come in is the same everywhere.
    if (!few.includes(card) || !(await page.$('[data-seeds]'))) return assert.ok(flashing(dragged) <= 1, `dragging ${key}: ${flashing(dragged).toFixed(2)}`);
    await reset(page, key);
    // From the top, where the first figure is.
    await page.evaluate(() => scrollTo(0, 0));
    const seeds = await film(page, async () => {
      await page.fill('#seed', '7');
      await page.click('[data-seeds="20"]');
      await page.click('[data-seeds="200"]');
      await until(page, 'the seeds', () => document.querySelector('.seeds').classList.contains('idle'), null, 90_000);
      await frames(page, 5);
    });
    const found = { [`dragging ${key}`]: flashing(dragged), seeds: flashing(seeds) };
    assert.deepEqual(Object.entries(found).filter(([, area]) => area > 1), []);
  });
}

test('WCAG 2.3.1: nothing large flashes where each new run leaves the frame', async (t) => {
  // Long enough to be seen away, short enough for more than three runs a second.
  let at;
  const leaves = (card) => catalogue[card].setups.some(({ events }) => events > 100_000);
  for (const card of cards.filter(leaves)) {
    at = { card, setup: (await bigSetups(card)).find(({ ms }) => ms > 50 && ms < 250) };
    if (at.setup) break;
  }
  assert.ok(at.setup, 'no card has such a setup');
  const page = await open(t, `${at.card}/#setup=${at.setup.name}`);
  const resting = () => !document.querySelector('.plot.computing');
  await until(page, 'the first run', resting, null, 30_000);
  await page.evaluate(() => {
    window.away = 0;
    const plot = document.querySelector('.plot');
    new MutationObserver(() => { window.away += plot.classList.contains('computing'); }).observe(plot, { attributeFilter: ['class'] });
  });
  // Another seed costs the same. A hand that waits for each answer, then at once asks again.
  const runs = await film(page, async () => {
    for (let seed = 1; seed <= 24; seed += 1) {
      await page.fill('#seed', String(100 + seed));
      await frames(page, 1);
      await until(page, 'the run', resting, null, 30_000);
    }
  });
  assert.ok(await page.evaluate(() => window.away) >= 20, 'runs left the frame');
  assert.ok(flashing(runs) <= 1, `${flashing(runs).toFixed(2)} times what may flash, at ${at.setup.name} of ${at.card}`);
});
