// A plain static server: answers 404 for what is not there. `make serve` runs it, and the browser tests, which have it
// misbehave on request.
//
//   node tests/browser/server.mjs <folder> [port]     port 0 or none: a free one, printed

import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import sirv from 'sirv';

/** The policy under which nothing may break. */
export const STRICT_CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; worker-src 'self'";

/**
 * Serves `folder`. Options: `prefix` (`/sub/path`), `headers` for every answer, `delay` in ms for the WASM,
 * `wasmType` (another MIME type), `wasmMissing` (404 for it).
 * Returns `{ url, requests, close }`; `requests` lists the paths asked for.
 */
export async function serve(folder, options = {}, port = 0) {
  const files = sirv(folder, { dev: true, etag: true });
  const prefix = options.prefix ?? '';
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url);
    for (const [name, value] of Object.entries(options.headers ?? {})) response.setHeader(name, value);
    const missing = () => {
      response.statusCode = 404;
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>404</title><h1>Not found</h1>');
    };
    if (!request.url.startsWith(`${prefix}/`)) return missing();
    request.url = request.url.slice(prefix.length);
    if (request.url.includes('.wasm')) {
      if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay));
      if (options.wasmMissing) return missing();
      if (options.wasmType) {
        const set = response.writeHead.bind(response);
        response.writeHead = (status, head) => set(status, { ...head, 'Content-Type': options.wasmType });
      }
    }
    files(request, response, missing);
  });
  await new Promise((resolve, reject) => server.on('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}/`,
    requests,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder = 'dist', port = '0'] = process.argv.slice(2);
  const { url } = await serve(folder, {}, Number(port));
  console.log(`Overload Playground: ${url}  (Ctrl-C ends it)`);
}
