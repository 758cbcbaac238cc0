// What is on the screen, as numbers: screenshots decoded, and colours compared as WCAG compares them.

import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

/** Decodes a PNG as browsers write them: 8 bits, RGB or RGBA, not interlaced. Gives `{ width, height, at(x, y) }`. */
export function decode(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, , , interlaced] = png.subarray(24, 29);
  assert.ok(depth === 8 && (type === 2 || type === 6) && interlaced === 0, `a PNG of ${depth} bits, type ${type}`);
  const parts = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const size = type === 6 ? 4 : 3;
  const row = width * size;
  const raw = inflateSync(Buffer.concat(parts));
  const data = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (row + 1)];
    const [from, to] = [y * (row + 1) + 1, y * row];
    for (let x = 0; x < row; x += 1) {
      const left = x >= size ? data[to + x - size] : 0;
      const up = y > 0 ? data[to + x - row] : 0;
      const corner = x >= size && y > 0 ? data[to + x - row - size] : 0;
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4) {
        const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
        guess = a <= b && a <= c ? left : b <= c ? up : corner;
      }
      data[to + x] = raw[from + x] + guess;
    }
  }
  const at = (x, y) => { const i = y * row + x * size; return [data[i], data[i + 1], data[i + 2]]; };
  return { width, height, at };
}

const LINEAR = Array.from({ length: 256 }, (_, v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));

/** WCAG's relative luminance. */
export const luminance = ([r, g, b]) => 0.2126 * LINEAR[r] + 0.7152 * LINEAR[g] + 0.0722 * LINEAR[b];

/** WCAG's contrast ratio. */
export function contrast(a, b) {
  const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}

/** How different two colours look (CIE 1976: ΔE in L*a*b*). About 2 can just be seen side by side. */
export function difference(a, b) {
  const lab = ([r, g, b]) => {
    const [R, G, B] = [LINEAR[r], LINEAR[g], LINEAR[b]];
    const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (t * 24389 / 27 + 16) / 116);
    const x = f((0.4124 * R + 0.3576 * G + 0.1805 * B) / 0.9505);
    const y = f(0.2126 * R + 0.7152 * G + 0.0722 * B);
    const z = f((0.0193 * R + 0.1192 * G + 0.9505 * B) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const [p, q] = [lab(a), lab(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/** How many pixels have each colour, the most frequent first. */
export function colours(image) {
  const counts = new Map();
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const [r, g, b] = image.at(x, y);
      const key = (r << 16) | (g << 8) | b;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([key, count]) => [[key >> 16, (key >> 8) & 255, key & 255], count]);
}
