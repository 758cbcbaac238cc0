// What a checker can see: axe-core on each page, in each theme and language, and in the states a reader brings about.
// What it cannot decide about contrast counts as a failure, except in SVG, which accessible.test.mjs checks itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { cards, catalogue, fewPages, follow, frames, languages, lively, measure, open, pages, seedsDone, themes, until, varied } from './support.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  rules: { 'target-size': { enabled: true }, 'label-content-name-mismatch': { enabled: true } },
  resultTypes: ['violations', 'incomplete'],
};
// All that another theme can change.
const COLOURS = { resultTypes: OPTIONS.resultTypes, runOnly: ['color-contrast', 'link-in-text-block'] };

async function axe(page, where, options = OPTIONS) {
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(AXE);
    await page.evaluate(measure);
    await page.evaluate(() => {
      window.stands = (element) => {
        let ground = element;
        while (ground.parentElement && /^rgba\(.*, 0\)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
        return window.contrast(getComputedStyle(element).color, getComputedStyle(ground).backgroundColor) >= 4.5;
      };
    });
  }
  const found = await page.evaluate(async (options) => {
    const { violations, incomplete } = await window.axe.run(document, options);
    // In a table that scrolls, cells lie under the box's edge, a label of two lines beside its field, and ≤ is no text: their own
    // colours decide.
    const decided = ({ target }) => {
      const element = document.querySelector(target.at(-1));
      return element.closest('svg') || (element.closest('.table-view, label, .truth i') && window.stands(element));
    };
    const undecided = incomplete.filter(({ id }) => id.startsWith('color-contrast'))
      .map((rule) => ({ ...rule, nodes: rule.nodes.filter((node) => !decided(node)) })).filter(({ nodes }) => nodes.length > 0);
    return [...violations, ...undecided].map(({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.slice(0, 4).map((n) => `${n.target.join(' ')} (${n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? ''})`).join('; ')}`);
  }, options);
  return found.map((text) => `${where}: ${text}`);
}

// Each language in one theme. English cards are looked at in both below, with everything in sight. An embed is a part of its
// page.
const once = (path) => fewPages.includes(path) || (path.startsWith('vi') && !path.endsWith('embed/'));
for (const path of pages.filter(once)) {
  const [english, vietnamese] = themes;
  const theme = path.startsWith('vi') ? vietnamese : english;
  test(`axe: /${path} in ${theme}`, async (t) => {
    const page = await open(t, path, { live: lively(path), colorScheme: theme });
    assert.equal(await page.getAttribute('html', 'lang'), path.startsWith('vi') ? 'vi' : 'en');
    assert.deepEqual(await axe(page, theme), []);
  });
}

for (const card of cards) {
  for (const [lang, prefix] of Object.entries(languages)) {
    if (lang === 'en' || varied.includes(card)) test(`axe: ${card} ${lang} with everything unfolded, a reading, errors, a revealed answer, and the dialog`, async (t) => {
      const page = await open(t, `${prefix}${card}/`);
      const found = [];
      await seedsDone(page);
      const { key } = catalogue[card].knobs.find((k) => k.shown && k.min !== undefined);
      await follow(page, `${key}=NaN&nobody=1`);
      await until(page, 'two notices', () => document.querySelectorAll('.notices li').length === 2);
      // Of the data tables, which are all made alike and long, the first.
      await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = !d.matches('.data') || d === document.querySelector('.data'); }));
      await page.fill(`#k-${key}`, 'x');
      await page.fill('#seed', 'x');
      await page.click('[data-do=reveal] >> visible=true');
      await page.locator('figure canvas').first().focus();
      await page.keyboard.press('ArrowRight');
      await until(page, 'an error, a reading, an answer', () => document.querySelector('.knob.error')
        && !document.querySelector('.readout').hidden && document.querySelector('.answer'));
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await frames(page);
        found.push(...await axe(page, `unfolded, ${theme}`, theme === themes[0] ? OPTIONS : COLOURS));
      }
      // The dialog is the same on every page; what lies behind it has been looked at.
      if (card === cards[0]) {
        await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = false; }));
        await page.click('[data-do=embed]');
        await page.waitForSelector('dialog[open]');
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme });
          await frames(page);
          found.push(...await axe(page, `dialog, ${theme}`, theme === themes[0] ? OPTIONS : COLOURS));
        }
      }
      assert.deepEqual(found, []);
    });
  }

  if (varied.includes(card)) test(`axe: ${card} on a phone`, async (t) => {
    const page = await open(t, `${card}/`, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    assert.deepEqual(await axe(page, 'phone'), []);
  });
}

test('axe: a card that cannot start', async (t) => {
  const page = await open(t, `${cards[0]}/`, {
    live: false, allow: /./, init: () => { WebAssembly.instantiateStreaming = WebAssembly.instantiate = async () => { throw new WebAssembly.RuntimeError('no'); }; },
  });
  await until(page, 'the panel', () => !document.querySelector('#fail').hidden);
  const found = [];
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    found.push(...await axe(page, theme));
  }
  assert.deepEqual(found, []);
});
