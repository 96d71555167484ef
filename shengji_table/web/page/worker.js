// The Worker of a page without a server: Python for WebAssembly (Pyodide), which runs `web/page_host.py`.

/** @typedef {{python: string, files: [path: string, size: number][]}} Files
 *   where Pyodide is, and all that is loaded, with bytes; paths are relative to this file's */

const url = (/** @type {string} */ path) => new URL(path, import.meta.url).href;

/** Load a file whole, so that it is in the browser's cache; tell of every part.
 * @param {string} path @param {(size: number) => void} came @returns {Promise<Uint8Array[]>} */
async function loadFile(path, came) {
  const answer = await fetch(url(path));
  if (!answer.ok || !answer.body) throw new Error(`${path}: ${answer.status}`);
  const reader = answer.body.getReader();
  const parts = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value);
    came(value.length);
  }
}

/** @param {Files} files @returns {Promise<any>} Pyodide, with NumPy and our packages */
async function loadPython({ python, files }) {
  const total = files.reduce((sum, [, size]) => sum + size, 0);
  let done = 0;
  /** @type {Uint8Array[]} */
  let packages = [];
  for (const [path] of files) {
    packages = await loadFile(path, (size) => postMessage({ type: "progress", done: (done += size), total }));
  }
  const { loadPyodide } = await import(url(`${python}pyodide.mjs`));
  const runtime = await loadPyodide({ indexURL: url(python) });
  await runtime.loadPackage("numpy", { messageCallback: () => {} });
  if (!runtime.loadedPackages.numpy) throw new Error("NumPy is missing, or not the file that is known");
  runtime.unpackArchive(await new Blob(/** @type {BlobPart[]} */ (packages)).arrayBuffer(), "zip");
  return runtime;
}

/** @param {string} why @param {unknown} error */
function fail(why, error) {
  postMessage({ type: "failed", why, reason: String(error).trim().split("\n").at(-1) });
}

try {
  const answer = await fetch(url("./files.json"));
  const runtime = await loadPython(await answer.json());
  const hear = runtime.pyimport("shengji_table.web.page_host").start((/** @type {string} */ said) =>
    postMessage(JSON.parse(said)),
  );
  onmessage = ({ data }) => {
    try {
      hear(JSON.stringify(data));
    } catch (error) {
      fail("died", error);
    }
  };
  postMessage({ type: "loaded" });
} catch (error) {
  fail("unloaded", error);
}
