// What no checker can see: names that follow the run, contrast in charts, series told apart without colour, reflow, text
// spacing, tables that say what is drawn.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { cards, catalogue, fewPages, follow, frames, leave, lively, measure, native, open, pages, seedsDone, settled, shared, shows, slide, sliders, knob, themes, unfold } from './support.mjs';


for (const card of cards) {
  const { knobs, setups } = catalogue[card];

  test(`${card}: WCAG 1.1.1: each chart has a role and a name, and the name follows the run`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    await seedsDone(page);
    const names = () => page.$$eval('figure[data-chart] canvas', (all) => all.map((e) =>
      [e.getAttribute('role'), e.getAttribute('aria-label')]));
    const before = await names();
    assert.ok(before.length > 0);
    assert.deepEqual(before.filter(([role, name]) => role !== 'img' || name.length < 20 || !/\d/.test(name)), [], 'names that say no number');
    // A finding may hold for two setups, but not for all.
    const said = before.map(() => new Set());
    for (const { name } of setups) {
      if (said.every((names) => names.size > 1)) break;
      await page.click(`[data-setup="${name}"]`);
      await settled(page);
      (await names()).forEach(([, name], i) => said[i].add(name));
    }
    assert.deepEqual(before.filter((_, i) => said[i].size < 2), [], 'names that never follow the run');
    const nameless = await page.$$eval('figure :is(svg, canvas)', (all) => all
      .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]'))
      .filter((e) => e.getAttribute('role') !== 'img' || !e.getAttribute('aria-label')).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    assert.equal(await page.locator('[role=application]').count(), 0);
  });

  test(`${card}: WCAG 1.3.1: the figures on the page are the engine's, the data table is the file's, headers have a scope`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    await seedsDone(page);
    const { key, default: start, step } = knobs.find((k) => k.min !== undefined);
    const pairs = `${key}=${start + 3 * step}&seed=11`;
    await follow(page, pairs);
    await shows(page, card, pairs);
    const { figures } = native(card, pairs);
    for (const row of await page.$$('#article tr[data-figure]')) {
      const figure = await row.getAttribute('data-figure');
      const text = await row.$eval('[data-col=yours]', (e) => e.textContent.trim());
      const digits = (text.split('.')[1] ?? '').length;
      assert.equal(Number(text.replaceAll(',', '')), Number(figures[figure].value.toFixed(digits)), figure);
    }
    // The same code makes them all; a first chart and a last are seldom of one kind.
    const charts = await page.$$('figure[data-chart]');
    for (const figure of new Set([charts[0], charts.at(-1)])) {
      await (await figure.$('details.data summary')).click();
      await figure.waitForSelector('table');
      const table = await figure.$eval('table', (e) => ({
        caption: e.caption.textContent, title: e.closest('figure').querySelector('figcaption b').textContent,
        scopes: [...e.querySelectorAll('thead th')].every((h) => h.scope === 'col') && [...e.tBodies[0].rows].every((r) => r.cells[0].scope === 'row'),
        rows: [...e.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent)),
      }));
      assert.ok(table.caption.startsWith(table.title) && table.scopes, 'caption and scopes');
      const [download] = await Promise.all([page.waitForEvent('download'), (await figure.$('[data-do=csv]')).click()]);
      const lines = readFileSync(await download.path(), 'utf8').trim().split(/\r?\n/).slice(1);
      assert.ok(lines.length > 0 && table.rows.length > 0, 'rows');
      // Fields may be quoted where a name holds a comma; numbers never do.
      const numbers = lines.map((line) =>
        line.replaceAll(/"[^"]*"/g, 'x').split(',').filter((f) => /^-?[\d.]+$/.test(f)).map(Number));
      const isNumber = (text) => /^-?[\d,.]+$/.test(text ?? '');
      // Where rows that read the same are left out, a row has no line of its own: its numbers are somewhere in the file.
      const shorter = table.caption.includes('left out');
      assert.ok(shorter || table.rows.length >= lines.length, `${table.rows.length} rows, ${lines.length} lines`);
      // What has no place along the axis stands at the end, under a name: the file has it otherwise.
      const along = isNumber(table.rows[0][0]);
      const last = table.rows.findIndex((row) => !isNumber(row[0]) && (along || !isNumber(row[1])));
      const checked = shorter || along ? table.rows.slice(0, last < 0 ? undefined : last) : table.rows.slice(0, lines.length);
      const all = shorter && numbers.flat();
      checked.forEach((row, i) => {
        for (const text of row.filter(isNumber)) {
          const value = Number(text.replaceAll(',', ''));
          const half = 0.51 * 10 ** -((text.split('.')[1] ?? '').length);
          // A table may say seconds where the file says milliseconds.
          assert.ok((all || numbers[i]).some((n) =>
            Math.abs(n - value) <= half || Math.abs(n / 1000 - value) <= half || Math.abs(n * 100 - value) <= half),
          `row ${i}: ${text} is not in ${all ? 'the file' : lines[i]}`);
        }
      });
    }
  });

  test(`${card}: WCAG 1.4.1: without colour each series of a chart still has a look of its own`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    const looks = await page.$$eval('figure[data-chart]:has(.legend)', (all) => all.map((f) =>
      [...f.querySelectorAll('.legend svg > *')].map((e) =>
        // A plain colour is one look, whatever the colour.
        [e.tagName, e.getAttribute('stroke-dasharray'), e.getAttribute('stroke-width'), e.getAttribute('fill')?.replace(/var\(.*?\)/, 'plain')].join(' '))));
    assert.ok(looks.length > 0);
    for (const chart of looks) assert.equal(new Set(chart).size, chart.length, chart.join('\n'));
  });

  test(`${card}: WCAG 1.4.3: text in the stills stands out 4.5 to 1 in both themes`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await frames(page);
      const weak = await page.$$eval('figure svg.v text', (all) => all
        .map((e) => [e.textContent, window.contrast(getComputedStyle(e).fill, window.token('paper'))]).filter(([, c]) => c < 4.5));
      assert.deepEqual(weak, [], theme);
      assert.ok(await page.locator('figure svg.v text').count() > 10);
    }
  });

  test(`${card}: the canvas shows the theme's own colours`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await frames(page);
      const missing = await page.evaluate(() => [...document.querySelectorAll('figure[data-chart]')].flatMap((figure) => {
        const canvas = figure.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
        const fills = new Set([...figure.querySelectorAll('svg.v:not(.v-s) [fill^="var(--"]')].map((e) => e.getAttribute('fill').slice(6, -1)));
        fills.delete('paper');
        return [...fills].filter((name) => !seen.has(window.token(name).match(/\d+/g).slice(0, 3).join(','))
          && figure.querySelector(`svg.v-l path[fill="var(--${name})"]:not([fill-opacity])`));
      }));
      assert.deepEqual(missing, [], theme);
    }
  });

  test(`${card}: every slider's words follow its value, with the unit`, async (t) => {
    const page = await shared(t, `${card}/`, { init: measure });
    for (const key of await sliders(page)) {
      const before = await knob(page, key);
      await slide(page, key, before.stop === before.last ? 0 : before.stop + 1);
      const after = await knob(page, key);
      assert.notEqual(after.said, before.said, key);
      // A knob whose label is its unit ("Attempts") shows none.
      assert.ok(after.said.endsWith(after.unit.trim()) && /\d/.test(after.said), `${key}: ${after.said}`);
    }
  });
}

test('WCAG 1.4.11, 1.4.3: tokens: lines and edges 3 to 1, text 4.5 to 1, in both themes', async (t) => {
  const page = await open(t, '', { live: false, init: measure });
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await frames(page);
    const weak = await page.evaluate(() => {
      const pairs = [
        ...['offered', 'attempts', 'retries', 'goodput', 'late', 'timeout', 'shed', 'breaker', 'zombie', 'baseline', 'edge', 'focus']
          .flatMap((name) => ['paper', 'well'].map((ground) => [name, ground, 3])),
        ['focus', 'panel', 3], ['edge', 'panel', 3],
        ...['ink', 'ink-2', 'ink-3'].flatMap((name) => ['paper', 'panel', 'well'].map((ground) => [name, ground, 4.5])),
        ...['bad', 'edgy', 'ok'].flatMap((name) => [[name, `${name}-bg`, 4.5], ['ink', `${name}-bg`, 4.5]]),
      ];
      return pairs.map(([a, b, least]) => [a, b, least, window.contrast(window.token(a), window.token(b))])
        .filter(([, , least, is]) => !(is >= least)).map((row) => row.join(' '));
    });
    assert.deepEqual(weak, [], theme);
  }
});

// One visit a page for both: to open and unfold them all is what takes the time.
test('WCAG 1.4.10, 1.3.4, 1.4.12: on every page, 320 px wide, and lying: nothing sideways, every control inside; wider text spacing clips nothing', async (t) => {
  // An embed is a part of its page. The languages take turns: what is wide in one is seldom narrow in the other.
  const turn = (path) => path.startsWith('vi') === (cards.findIndex((card) => path.endsWith(`${card}/`)) % 2 === 1);
  for (const path of pages.filter((path) => fewPages.includes(path) || (!path.includes('embed') && turn(path)))) {
    const page = await open(t, path, { live: lively(path) });
    await unfold(page);
    for (const [width, height] of [[320, 640], [640, 320]]) {
      await page.setViewportSize({ width, height });
      await frames(page, 3);
      const out = await page.evaluate(() => {
        const root = document.documentElement;
        if (root.scrollWidth > root.clientWidth) return [`the page is ${root.scrollWidth} wide`];
        return [...document.querySelectorAll('a, button, input, select, textarea, summary, canvas')]
          .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.table-view, .skip'))
          .filter((e) => { const r = e.getBoundingClientRect(); return r.left < -0.5 || r.right > root.clientWidth + 0.5; })
          .map((e) => e.outerHTML.slice(0, 100));
      });
      assert.deepEqual(out, [], `${path} at ${width} × ${height}`);
    }
    await page.addStyleTag({
      content: '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }',
    });
    for (const width of [1024, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await frames(page, 3);
      const clipped = await page.evaluate(() => {
        const root = document.documentElement;
        const wide = root.scrollWidth > root.clientWidth ? [`the page is ${root.scrollWidth} wide`] : [];
        const cut = [...document.querySelectorAll('body *')].filter((e) => {
          const style = getComputedStyle(e);
          if (!e.checkVisibility({ visibilityProperty: true }) || e.closest('.vh, svg, [role=region]') || !e.textContent.trim()) return false;
          if (e.offsetWidth <= 1 && e.offsetHeight <= 1) return false; // for readers only
          const hides = (axis) => ['hidden', 'clip'].includes(style[axis]);
          return (hides('overflowY') && e.scrollHeight > e.clientHeight + 1) || (hides('overflowX') && e.scrollWidth > e.clientWidth + 1);
        });
        return [...wide, ...cut.map((e) => e.outerHTML.slice(0, 100))];
      });
      assert.deepEqual(clipped, [], `${path} at ${width}`);
    }
    await leave(page);
  }
});
