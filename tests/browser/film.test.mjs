// Cards with a time cursor: the system at one moment, the questions that can be put to it, and the run as a document.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  browser, cards, frames, grab, knob, open, outcome, seedsDone, settled, shown, shows, site, slide, sliders,
} from './support.mjs';

/** The cards whose static page has the part `selector`. */
async function having(selector) {
  const page = await browser.newPage({ javaScriptEnabled: false });
  const found = [];
  for (const card of cards) {
    await page.goto(new URL(`${card}/`, site.url).href);
    if (await page.locator(selector).count() > 0) found.push(card);
  }
  await page.close();
  assert.ok(found.length > 0, `no card has ${selector}`);
  return found;
}

// Before any test: a file whose tests are all left out ends with the first of them.
const filmed = await having('.film');
const told = await having('.report');

const scrub = (page) => page.locator('.film input[type=range]');
const moment = (page) => page.locator('.film .moment').textContent();
const at = async (page) => Number(await scrub(page).inputValue());
/** Where the line of the moment stands in each chart that has one. */
const lines = (page) => page.$$eval('.plot .now:not([hidden])', (all) => all.map((e) => parseFloat(e.style.left)));

for (const card of filmed) {
  test(`${card}: the cursor moves words, picture and the line in every chart over time, and leaves run and address alone`, async (t) => {
    const page = await open(t, `${card}/`, { fresh: true });
    await settled(page);
    const before = { run: await outcome(page), said: await moment(page), lines: await lines(page), url: page.url() };
    assert.ok(before.lines.length >= 3, 'charts with a line');
    const start = await at(page);
    await scrub(page).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await at(page), start + 1);
    await page.locator('.film [data-do=back]').click();
    await page.locator('.film [data-do=back]').click();
    await page.locator('.film [data-do=on]').click();
    assert.equal(await at(page), start);
    assert.equal(await moment(page), before.said);
    await page.keyboard.press('Tab');
    await scrub(page).fill(String(start + 300));
    await frames(page, 2);
    const later = await lines(page);
    assert.notEqual(await moment(page), before.said);
    assert.equal(later.length, before.lines.length);
    later.forEach((x, i) => assert.ok(x > before.lines[i] + 5, `line ${i}: ${before.lines[i]} to ${x}`));
    // A press in a chart puts it there.
    const plot = page.locator('figure[data-chart] .plot:has(.now:not([hidden]))').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await frames(page, 2);
    const [line] = await lines(page);
    assert.ok(Math.abs(line - box.width / 2) < 6, `${line} of ${box.width}`);
    assert.deepEqual([await outcome(page), page.url()], [before.run, before.url]);
    assert.equal(await page.evaluate(() => history.length), 2);
  });

  test(`${card}: it plays when asked, stops at the end, when paused and out of sight; not at all under reduced motion`, async (t) => {
    const page = await open(t, `${card}/`);
    await settled(page);
    const play = page.locator('.film [data-do=play]');
    const playing = () => page.locator('.film.playing').count();
    const start = await at(page);
    await frames(page, 20);
    assert.equal(await at(page), start, 'it stood still');
    await play.click();
    await page.waitForFunction((from) => Number(document.querySelector('.film input[type=range]').value) > from + 3, start);
    assert.equal(await playing(), 1);
    await play.click();
    const paused = await at(page);
    await page.waitForTimeout(400);
    assert.deepEqual([await at(page), await playing()], [paused, 0]);
    await play.click();
    await page.evaluate(() => document.querySelector('footer, .foot').scrollIntoView());
    await page.waitForFunction(() => !document.querySelector('.film.playing'));
    // From the last seconds it runs into the end; from there it starts again.
    await scrub(page).evaluate((range) => {
      range.value = range.max - 5;
      range.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await play.click();
    await page.waitForFunction(() => !document.querySelector('.film.playing'));
    assert.equal(await at(page), await scrub(page).evaluate((range) => Number(range.max)));
    const still = await open(t, `${card}/`, { reducedMotion: 'reduce' });
    assert.equal(await still.locator('.film [data-do=play]').isVisible(), false);
    await still.locator('.film [data-do=on]').click();
  });

  test(`${card}: what is asked of the moment becomes the run of that link`, async (t) => {
    const page = await open(t, `${card}/`);
    await settled(page);
    const before = await outcome(page);
    const button = page.locator('.film .asks button:enabled').first();
    await button.click();
    await settled(page);
    await page.waitForFunction((old) => document.querySelector('[data-outcome]').dataset.outcome !== old, before);
    await page.waitForFunction(() => location.hash.includes('='));
    await shows(page, card, decodeURIComponent(new URL(page.url()).hash.slice(1)));
  });
}

test('a run that takes longer than a frame is drawn from its beginning while the hand moves, and whole once it rests', async (t) => {
  const card = 'retry-storm';
  const page = await open(t, `${card}/`);
  await seedsDone(page);
  const key = (await sliders(page))[0];
  const hand = await grab(page, key);
  const seen = new Set();
  const titles = new Set();
  for (let move = 1; move <= 60; move += 1) {
    await hand.to(hand.at + (move % 12) - 3);
    await frames(page, 1);
    const [hash, title] = await page.$eval('figure[data-chart]', (f) => [f.dataset.hash, f.querySelector('figcaption b').textContent]);
    seen.add(hash);
    titles.add(title);
  }
  // The hand never rested. What was drawn says how far it goes; what is said of the run waits for the whole.
  assert.ok(seen.size >= 4, `${seen.size} charts while it moved`);
  assert.ok([...titles].some((title) => /so far/.test(title)), [...titles].join(' | '));
  await hand.to(hand.at + 2);
  await page.mouse.up();
  await shows(page, card, `${key}=${(await knob(page, key)).number}`, 30_000);
  assert.ok(!/so far/.test(await page.textContent('figcaption b')));
  // Given up in its beginning, everything is as it was.
  const whole = await shown(page);
  await page.evaluate(() => {
    window.given = new Promise((resolve) => {
      new MutationObserver(() => {
        if (!/so far/.test(document.querySelector('figcaption b').textContent)) return;
        document.querySelector('[data-do=cancel]').click();
        resolve();
      }).observe(document.querySelector('figcaption b'), { childList: true, characterData: true, subtree: true });
    });
  });
  await slide(page, key, (await knob(page, key)).stop + 3);
  await page.evaluate(() => window.given);
  await settled(page);
  const after = await shown(page);
  assert.deepEqual([after.outcome, after.charts, after.insight], [whole.outcome, whole.charts, whole.insight]);
});

for (const card of told) {
  test(`${card}: the document follows the run, is copied as Markdown and printed alone`, async (t) => {
    const page = await open(t, `${card}/`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await settled(page);
    await page.locator('.report summary').click();
    const paper = page.locator('.report .paper');
    // It is made when the part is unfolded.
    await page.waitForFunction(() => document.querySelector('.report .paper').textContent.length > 400);
    const first = await paper.textContent();
    assert.ok(first.length > 400 && /\d/.test(first));
    await page.locator('[data-do=markdown]').click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('# '));
    const markdown = await page.evaluate(() => navigator.clipboard.readText());
    const words = (text) => text.replace(/[#|\\\s-]/g, '');
    // The link of the run ends it.
    const link = markdown.trim().split('\n').at(-1);
    assert.equal(link.split('#')[0], page.url().split('#')[0]);
    assert.equal(words(markdown), words(first) + words(link));
    const printed = page.evaluate(() => new Promise((resolve) => {
      window.print = () => resolve(document.documentElement.dataset.print);
    }));
    await page.locator('[data-do=print]').click();
    assert.equal(await printed, 'report');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.print), undefined);
    await page.evaluate(() => { document.documentElement.dataset.print = 'report'; });
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual([await page.locator('.report table').first().isVisible(), await page.locator('figure').first().isVisible(), await page.locator('h1').isVisible()], [true, false, false]);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('[data-setup]').nth(1).evaluate((button) => button.click());
    await page.waitForFunction((old) => document.querySelector('.report .paper').textContent !== old, first);
  });
}
