/* Python in the page: is told once where it comes from, and then what to judge. */

let loaded = 0;
const plainFetch = self.fetch;
self.fetch = async (...asked) => {
  const response = await plainFetch(...asked);
  if (!response.body) return response;
  const counter = new TransformStream({
    transform(chunk, rest) {
      loaded += chunk.length;
      postMessage({ loaded });
      rest.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

async function load({ pyodide, course, packages }) {
  const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: pyodide, packageBaseUrl: packages });
  const archive = await (await fetch(course)).arrayBuffer();
  python.unpackArchive(archive, "zip", { extractDir: "/course" });
  python.runPython("import sys; sys.path.append('/course')");
  // Its hash stands in Pyodide's lock file, and the browser compares it.
  await python.loadPackage("numpy", { messageCallback() {}, errorCallback() {} }).catch(() => {});
  if (!python.loadedPackages.numpy) throw new Error("numpy");
  return python.pyimport("why_sqrt_d.exercises.page_code").judged;
}

let judge;
onmessage = async ({ data }) => {
  if (data.pyodide) {
    judge = load(data);
    return;
  }
  try {
    const judged = await judge;
    postMessage({ ready: true });
    postMessage({ reply: JSON.parse(judged(data.exercise, data.source, data.numbers)) });
  } catch (error) {
    postMessage({ failed: error.message.trim().split("\n").pop() });
  }
};
