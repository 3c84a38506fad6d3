// Runs the Python text of standard input under Pyodide, with the repository as /course:
//   node pyodide_run.mjs ROOT [the folder with what Pyodide distributes]
import { readFileSync } from "node:fs";

const [root, packageCacheDir] = process.argv.slice(2);
const { loadPyodide } = await import(`${root}/node_modules/pyodide/pyodide.mjs`);
const python = await loadPyodide(packageCacheDir ? { packageCacheDir } : {});
if (packageCacheDir) await python.loadPackage("numpy", { messageCallback() {} });
python.FS.mkdirTree("/course");
python.mountNodeFS("/course", root);
python.runPython("import sys; sys.path.append('/course')");
python.runPython(readFileSync(0, "utf8"));
