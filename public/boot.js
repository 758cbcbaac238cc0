// Starts the app. A file of its own, since a strict content security policy forbids inline scripts.
const script = document.querySelector('script[data-js]');
const url = (name) => new URL(script.getAttribute(name), document.baseURI).href;

// Shows why the app is not there; text and still figure stay.
function fail(error) {
  const panel = document.getElementById('fail');
  if (!panel) return;
  panel.querySelector('pre').textContent = String(error);
  panel.hidden = false;
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('#fail [data-do]');
  if (!button) return;
  if (button.dataset.do === 'reload') location.reload();
  else navigator.clipboard?.writeText(location.href);
});

if (document.querySelector('#app')) {
  try {
    const app = await import(url('data-js'));
    await app.default({ module_or_path: url('data-wasm') });
  } catch (error) {
    fail(error);
  }
}
