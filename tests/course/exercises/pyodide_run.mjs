// Runs the Python text of standard input under Pyodide, with the repository as /course:
//   node pyodide_run.mjs ROOT [the folder with what Pyodide distributes, packages to load]
import { readFileSync } from "node:fs";

const [root, packageCacheDir, ...packages] = process.argv.slice(2);
const { loadPyodide } = await import(`${root}/node_modules/pyodide/pyodide.mjs`);
const python = await loadPyodide(packageCacheDir ? { packageCacheDir } : {});
if (packages.length) await python.loadPackage(packages, { messageCallback() {} });
python.FS.mkdirTree("/course");
python.mountNodeFS("/course", root);
python.runPython("import sys; sys.path.append('/course')");
python.runPython(readFileSync(0, "utf8"));
